import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { DriverCall, DriverCalls } from './driver';

interface DriverMessage {
  id: number;
  response?: unknown;
  error?: string;
}

/** The load generator. It runs in its own process, so that its CPU time is not part of any figure. */
export class Driver {
  private readonly child: ChildProcess = fork(path.join(__dirname, 'driver.js'));
  private readonly pending = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  private nextId = 0;

  constructor() {
    this.child.on('message', ({ id, response, error }: DriverMessage) => {
      const pendingCall = this.pending.get(id);
      this.pending.delete(id);
      if (error === undefined) pendingCall?.resolve(response);
      else pendingCall?.reject(new Error(error));
    });
    this.child.once('exit', () => {
      for (const { reject } of this.pending.values()) reject(new Error('The load process ended'));
    });
  }

  call<Call extends DriverCall>(
    call: Call,
    request: DriverCalls[Call]['request'],
  ): Promise<DriverCalls[Call]['response']> {
    this.nextId += 1;
    const id = this.nextId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.child.send({ id, call, request });
    });
  }

  end(): void {
    this.child.kill();
  }
}
