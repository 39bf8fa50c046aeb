import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster';
import { signalTree } from '../cluster/process-tree';
import type { signalKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';

type SignalKind = (typeof signalKinds)[number];

/** What a fault needs of a process, of the product or of a store. */
interface Victim {
  pid(): number | undefined;
  /** Of the process and its children. */
  signalAll(signal: NodeJS.Signals): void;
  /** Of the process alone. */
  signal(signal: NodeJS.Signals): void;
  untilReady(): Promise<void>;
}

/** A signal to a process. What dies of it is started again by its supervisor. */
export const processFault = (cluster: Cluster, kind: SignalKind, target: string): FaultEffect => {
  const victim = victimOf(cluster, target);
  switch (kind) {
    case 'pause':
      return {
        begin: async () => victim.signalAll('SIGSTOP'),
        async end() {
          victim.signalAll('SIGCONT');
          await victim.untilReady();
        },
      };
    case 'kill':
      return ending(victim, async () => victim.signalAll('SIGKILL'));
    case 'terminate':
      return ending(victim, async () => {
        victim.signal('SIGTERM');
        if (target !== 'postgres') return;
        // PostgreSQL waits until its clients have gone, which pools never do; supervisors lose their patience.
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
      await victim.untilReady();
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
      untilReady: () => untilAnswers(cluster, target),
    };
  }
  const replica =
    target === 'nginx' ? cluster.stack.proxy : cluster.processes.find(({ name }) => name === target);
  if (!replica) throw new Error(`There is no process ${target}`);
  return {
    pid: () => replica.pid,
    signalAll: (signal) => {
      // Its launcher learns that this was a fault from outside, and starts it again without waiting long.
      if (replica.pid !== undefined) signalTree(replica.pid, signal);
    },
    signal: (signal) => replica.kill(signal),
    untilReady: () => replica.untilReady(),
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
      await sleep(50); // it starts, or recovers its data
    }
  }
};
