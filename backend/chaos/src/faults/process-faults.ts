import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster';
import { sendSignalToTree } from '../cluster/process-tree';
import type { signalKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';

type SignalKind = (typeof signalKinds)[number];

/** A process of the product or of a store, as its faults use it. */
interface FaultTarget {
  getPid(): number | undefined;
  /** Signals the process and its children. */
  sendSignalToAll(signal: NodeJS.Signals): void;
  /** Signals the process only. */
  sendSignal(signal: NodeJS.Signals): void;
  waitUntilReady(): Promise<void>;
}

/** A fault caused by signals to a process. The supervisor of a process that dies restarts it. */
export const createProcessFault = (cluster: Cluster, kind: SignalKind, target: string): FaultEffect => {
  const faultTarget = findFaultTarget(cluster, target);
  switch (kind) {
    case 'pause':
      return {
        begin: async () => faultTarget.sendSignalToAll('SIGSTOP'),
        async end() {
          faultTarget.sendSignalToAll('SIGCONT');
          await faultTarget.waitUntilReady();
        },
      };
    case 'kill':
      return restartAfter(faultTarget, async () => faultTarget.sendSignalToAll('SIGKILL'));
    case 'terminate':
      return restartAfter(faultTarget, async () => {
        faultTarget.sendSignal('SIGTERM');
        if (target !== 'postgres') return;
        // PostgreSQL waits for its clients to disconnect, which pools never do. Supervisors then escalate.
        await sleep(1_000);
        faultTarget.sendSignal('SIGINT');
      });
  }
};

/** Stops a process and waits until its supervisor has started another one. */
const restartAfter = (faultTarget: FaultTarget, stop: () => Promise<void>): FaultEffect => {
  let stoppedPid: number | undefined;
  return {
    async begin() {
      stoppedPid = faultTarget.getPid();
      await stop();
    },
    async end() {
      while (faultTarget.getPid() === stoppedPid || faultTarget.getPid() === undefined) await sleep(20);
      await faultTarget.waitUntilReady();
    },
  };
};

const findFaultTarget = (cluster: Cluster, target: string): FaultTarget => {
  if (target === 'redis' || target === 'postgres') {
    const store = target === 'redis' ? cluster.redisStore : cluster.postgresStore;
    return {
      getPid: () => store.pid,
      sendSignalToAll: (signal) => store.sendSignalToAll(signal),
      sendSignal: (signal) => store.sendSignal(signal),
      waitUntilReady: () => waitUntilStoreAnswers(cluster, target),
    };
  }
  const replica =
    target === 'nginx' ? cluster.stack.proxy : cluster.processes.find(({ name }) => name === target);
  if (!replica) throw new Error(`There is no process ${target}`);
  return {
    getPid: () => replica.pid,
    sendSignalToAll: (signal) => {
      // `replica.kill` would signal only the process itself, not its children.
      if (replica.pid !== undefined) sendSignalToTree(replica.pid, signal);
    },
    sendSignal: (signal) => replica.kill(signal),
    waitUntilReady: () => replica.waitUntilReady(),
  };
};

/** Resolves when a store answers. */
export const waitUntilStoreAnswers = async (cluster: Cluster, store: 'redis' | 'postgres'): Promise<void> => {
  for (;;) {
    try {
      if (store === 'redis') await cluster.redis.ping();
      else await cluster.withPostgres((client) => client.query('SELECT 1'));
      return;
    } catch {
      await sleep(50); // the store is starting or recovering
    }
  }
};
