import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster';
import { sendSignalToTree } from '../cluster/process-tree';
import type { signalKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';

type SignalKind = (typeof signalKinds)[number];
type StoreName = 'redis' | 'postgres';

/** The process of a replica, a worker, nginx or a store, to which signals are sent. */
interface FaultTarget {
  /** The process id changes with every restart; undefined while the process does not run. */
  getPid(): number | undefined;
  /** Signals the process only. */
  signal(signal: NodeJS.Signals): void;
  /** Signals the process and its children. */
  signalTree(signal: NodeJS.Signals): void;
  waitUntilReady(): Promise<void>;
}

/** How long PostgreSQL may wait for its clients to disconnect. */
const SHUTDOWN_GRACE_MS = 1_000;
const PID_POLL_MS = 20;
const STORE_POLL_MS = 50;

/** Creates a fault that sends a signal to a process. A supervisor restarts every process that ends. */
export const createProcessFault = (cluster: Cluster, kind: SignalKind, targetName: string): FaultEffect => {
  const target = findFaultTarget(cluster, targetName);
  switch (kind) {
    case 'pause':
      return {
        begin: async () => target.signalTree('SIGSTOP'),
        async end() {
          target.signalTree('SIGCONT');
          await target.waitUntilReady();
        },
      };
    case 'kill':
      return createRestartFault(target, async () => target.signalTree('SIGKILL'));
    case 'terminate':
      return createRestartFault(target, async () => {
        target.signal('SIGTERM');
        if (targetName === 'postgres') await disconnectClients(target);
      });
  }
};

/**
 * After SIGTERM, PostgreSQL waits for its clients to disconnect, which the pools of the service never do. SIGINT
 * disconnects them; supervisors of PostgreSQL send it after a while.
 */
const disconnectClients = async (postgres: FaultTarget): Promise<void> => {
  await sleep(SHUTDOWN_GRACE_MS);
  postgres.signal('SIGINT');
};

/** Creates a fault that stops a process and ends when its supervisor has started another one. */
const createRestartFault = (target: FaultTarget, stop: () => Promise<void>): FaultEffect => {
  let stoppedPid: number | undefined;
  const isRestarted = (): boolean => {
    const pid = target.getPid();
    return pid !== undefined && pid !== stoppedPid;
  };
  return {
    async begin() {
      stoppedPid = target.getPid();
      await stop();
    },
    async end() {
      while (!isRestarted()) await sleep(PID_POLL_MS);
      await target.waitUntilReady();
    },
  };
};

const findFaultTarget = (cluster: Cluster, name: string): FaultTarget =>
  name === 'redis' || name === 'postgres'
    ? createStoreTarget(cluster, name)
    : createProcessTarget(cluster, name);

const createStoreTarget = (cluster: Cluster, name: StoreName): FaultTarget => {
  const store = name === 'redis' ? cluster.redisStore : cluster.postgresStore;
  return {
    getPid: () => store.pid,
    signal: (signal) => store.sendSignal(signal),
    signalTree: (signal) => store.sendSignalToTree(signal),
    waitUntilReady: () => waitUntilStoreAnswers(cluster, name),
  };
};

const createProcessTarget = (cluster: Cluster, name: string): FaultTarget => {
  const stackProcess =
    name === 'nginx' ? cluster.stack.proxy : cluster.processes.find((candidate) => candidate.name === name);
  if (!stackProcess) throw new Error(`There is no process ${name}`);
  return {
    getPid: () => stackProcess.pid,
    signal: (signal) => stackProcess.kill(signal),
    signalTree: (signal) => {
      if (stackProcess.pid !== undefined) sendSignalToTree(stackProcess.pid, signal);
    },
    waitUntilReady: () => stackProcess.waitUntilReady(),
  };
};

/** Resolves when a store answers a query or command. Waits without a limit. */
export const waitUntilStoreAnswers = async (cluster: Cluster, store: StoreName): Promise<void> => {
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
