import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { DriverCall, DriverCalls } from './driver';

/** The driver's reply to the call with this id. */
interface DriverReply {
  id: number;
  response?: unknown;
  error?: string;
}

const createEndedError = (): Error => new Error("The driver's process has ended");

/**
 * Starts the driver, which holds the clients and generates the load, and calls it. The driver runs in its own process,
 * so that its CPU time is not part of any measured value.
 */
export class Driver {
  private readonly child: ChildProcess = fork(path.join(__dirname, 'driver.js'));
  private readonly pending = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  private lastId = 0;
  private hasEnded = false;

  constructor() {
    this.child.on('message', ({ id, response, error }: DriverReply) => {
      const pendingCall = this.pending.get(id);
      this.pending.delete(id);
      if (error === undefined) pendingCall?.resolve(response);
      else pendingCall?.reject(new Error(error));
    });
    this.child.once('exit', () => {
      this.hasEnded = true;
      for (const { reject } of this.pending.values()) reject(createEndedError());
    });
  }

  /** @throws Error when the call fails or the driver's process has ended */
  call<Name extends DriverCall>(
    name: Name,
    request: DriverCalls[Name]['request'],
  ): Promise<DriverCalls[Name]['response']> {
    if (this.hasEnded) return Promise.reject(createEndedError());
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.child.send({ id, call: name, request });
    });
  }

  end(): void {
    this.child.kill();
  }
}
