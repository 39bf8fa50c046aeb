import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster';
import { sendSignalToTree } from '../cluster/process-tree';
import type { signalKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';

type SignalKind = (typeof signalKinds)[number];

/** The process of a replica, a worker, nginx or a store, to which signals are sent. */
interface FaultTarget {
  /** The process id changes with every restart; undefined while the process does not run. */
  getPid(): number | undefined;
  /** Signals the process and its children. */
  sendSignalToTree(signal: NodeJS.Signals): void;
  /** Signals the process only. */
  sendSignal(signal: NodeJS.Signals): void;
  waitUntilReady(): Promise<void>;
}

/** How long PostgreSQL may wait for its clients to disconnect. */
const SHUTDOWN_GRACE_MS = 1_000;
const PID_POLL_MS = 20;
const STORE_POLL_MS = 50;

/** Creates a fault that sends a signal to a process. A supervisor restarts every process that ends. */
export const createProcessFault = (cluster: Cluster, kind: SignalKind, target: string): FaultEffect => {
  const faultTarget = findFaultTarget(cluster, target);
  switch (kind) {
    case 'pause':
      return {
        begin: async () => faultTarget.sendSignalToTree('SIGSTOP'),
        async end() {
          faultTarget.sendSignalToTree('SIGCONT');
          await faultTarget.waitUntilReady();
        },
      };
    case 'kill':
      return createRestartFault(faultTarget, async () => faultTarget.sendSignalToTree('SIGKILL'));
    case 'terminate':
      return createRestartFault(faultTarget, async () => {
        faultTarget.sendSignal('SIGTERM');
        if (target !== 'postgres') return;
        // After SIGTERM, PostgreSQL waits for its clients to disconnect, which the pools of the service never do.
        // SIGINT disconnects the clients; supervisors of PostgreSQL send it after a while.
        await sleep(SHUTDOWN_GRACE_MS);
        faultTarget.sendSignal('SIGINT');
      });
  }
};

/** Creates a fault that stops a process and ends when its supervisor has started another one. */
const createRestartFault = (faultTarget: FaultTarget, stop: () => Promise<void>): FaultEffect => {
  let stoppedPid: number | undefined;
  return {
    async begin() {
      stoppedPid = faultTarget.getPid();
      await stop();
    },
    async end() {
      while (faultTarget.getPid() === stoppedPid || faultTarget.getPid() === undefined)
        await sleep(PID_POLL_MS);
      await faultTarget.waitUntilReady();
    },
  };
};

const findFaultTarget = (cluster: Cluster, target: string): FaultTarget => {
  if (target === 'redis' || target === 'postgres') {
    const store = target === 'redis' ? cluster.redisStore : cluster.postgresStore;
    return {
      getPid: () => store.pid,
      sendSignalToTree: (signal) => store.sendSignalToTree(signal),
      sendSignal: (signal) => store.sendSignal(signal),
      waitUntilReady: () => waitUntilStoreAnswers(cluster, target),
    };
  }
  const stackProcess =
    target === 'nginx' ? cluster.stack.proxy : cluster.processes.find(({ name }) => name === target);
  if (!stackProcess) throw new Error(`There is no process ${target}`);
  return {
    getPid: () => stackProcess.pid,
    sendSignalToTree: (signal) => {
      // `stackProcess.kill` would signal only the process itself, not its children.
      if (stackProcess.pid !== undefined) sendSignalToTree(stackProcess.pid, signal);
    },
    sendSignal: (signal) => stackProcess.kill(signal),
    waitUntilReady: () => stackProcess.waitUntilReady(),
  };
};

/** Resolves when a store answers a query or command. Waits without a limit. */
export const waitUntilStoreAnswers = async (cluster: Cluster, store: 'redis' | 'postgres'): Promise<void> => {
  for (;;) {
    try {
      if (store === 'redis') await cluster.redis.ping();
      else await cluster.withPostgres((client) => client.query('SELECT 1'));
      return;
    } catch {
      await sleep(STORE_POLL_MS); // the store is starting or recovering
    }
  }
};
