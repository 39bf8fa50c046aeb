import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster';
import { signalTree } from '../cluster/process-tree';
import type { signalKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';

type SignalKind = (typeof signalKinds)[number];

/** What a fault needs of a process of the product or of a store. */
interface Victim {
  pid(): number | undefined;
  /** Signals the process and its children. */
  signalAll(signal: NodeJS.Signals): void;
  /** Signals the process only. */
  signal(signal: NodeJS.Signals): void;
  waitUntilReady(): Promise<void>;
}

/** Sends a signal to a process. Its supervisor restarts it if it dies. */
export const processFault = (cluster: Cluster, kind: SignalKind, target: string): FaultEffect => {
  const victim = victimOf(cluster, target);
  switch (kind) {
    case 'pause':
      return {
        begin: async () => victim.signalAll('SIGSTOP'),
        async end() {
          victim.signalAll('SIGCONT');
          await victim.waitUntilReady();
        },
      };
    case 'kill':
      return ending(victim, async () => victim.signalAll('SIGKILL'));
    case 'terminate':
      return ending(victim, async () => {
        victim.signal('SIGTERM');
        if (target !== 'postgres') return;
        // PostgreSQL waits for its clients to disconnect, which pools never do. Supervisors then escalate.
        await sleep(1_000);
        victim.signal('SIGINT');
      });
  }
};

const ending = (victim: Victim, end: () => Promise<void>): FaultEffect => {
  let before: number | undefined;
  return {
    async begin() {
      before = victim.pid();
      await end();
    },
    async end() {
      while (victim.pid() === before || victim.pid() === undefined) await sleep(20);
      await victim.waitUntilReady();
    },
  };
};

const victimOf = (cluster: Cluster, target: string): Victim => {
  if (target === 'redis' || target === 'postgres') {
    const store = target === 'redis' ? cluster.redisStore : cluster.postgresStore;
    return {
      pid: () => store.pid,
      signalAll: (signal) => store.signalAll(signal),
      signal: (signal) => store.signal(signal),
      waitUntilReady: () => untilAnswers(cluster, target),
    };
  }
  const replica =
    target === 'nginx' ? cluster.stack.proxy : cluster.processes.find(({ name }) => name === target);
  if (!replica) throw new Error(`There is no process ${target}`);
  return {
    pid: () => replica.pid,
    signalAll: (signal) => {
      // `replica.kill` would signal only the process itself, not its children.
      if (replica.pid !== undefined) signalTree(replica.pid, signal);
    },
    signal: (signal) => replica.kill(signal),
    waitUntilReady: () => replica.waitUntilReady(),
  };
};

/** Resolves when a store answers. */
export const untilAnswers = async (cluster: Cluster, store: 'redis' | 'postgres'): Promise<void> => {
  for (;;) {
    try {
      if (store === 'redis') await cluster.redis.ping();
      else await cluster.withPostgres((client) => client.query('SELECT 1'));
      return;
    } catch {
      await sleep(50); // it is starting or recovering its data
    }
  }
};
