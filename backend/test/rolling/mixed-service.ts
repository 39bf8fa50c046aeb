import type { Program, Replica, Stack } from '../../../deploy/local/thaw-stack.mjs';
import { type Release } from './releases';

/** An api replica or a worker: a stack has the same type for both. */
export type ServiceProcess = Replica;

/** The processes of a stack, which may be of different releases. Detects processes that exit without a replacement. */
export class MixedService {
  /** The pid with which each process was last started, by its name. */
  private readonly pids = new Map<string, number | undefined>();

  constructor(private readonly stack: Stack) {
    for (const { name, pid } of this.processes) this.pids.set(name, pid);
  }

  /** Stops the replicas one after another and starts each again with the program of the release. */
  replaceReplicas(replicas: readonly Replica[], { programs }: Release): Promise<void> {
    return this.replace(replicas, programs.api);
  }

  /** Like `replaceReplicas`, for workers. */
  replaceWorkers(workers: readonly ServiceProcess[], { programs }: Release): Promise<void> {
    return this.replace(workers, programs.worker);
  }

  /** Expects every process to have the pid with which it was last started. */
  expectNoExits(): void {
    expect(this.processes.map(({ name, pid }) => [name, pid])).toEqual([...this.pids]);
  }

  private async replace(processes: readonly ServiceProcess[], program: Program): Promise<void> {
    for (const serviceProcess of processes) {
      this.expectNoExits();
      await serviceProcess.stop();
      await serviceProcess.start(program);
      this.pids.set(serviceProcess.name, serviceProcess.pid);
    }
  }

  private get processes(): ServiceProcess[] {
    return [...this.stack.replicas, ...this.stack.workers];
  }
}
