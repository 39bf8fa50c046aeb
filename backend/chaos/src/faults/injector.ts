import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster';
import { type Fault, formatLabel, type Round } from '../schedule';
import type { FaultEffect } from './fault-effect';
import { createPostgresFault } from './postgres-faults';
import { createProcessFault } from './process-faults';
import { createRedisFault } from './redis-faults';

/** A fault that was caused. Times are `Date.now()`. */
export interface CausedFault {
  fault: Fault;
  label: string;
  round: number;
  beganAt: number;
  /** When the fault was over and its target was ready again; undefined until then. */
  recoveredAt?: number;
}

const createEffect = (cluster: Cluster, fault: Fault): FaultEffect => {
  switch (fault.kind) {
    case 'kill':
    case 'pause':
    case 'terminate':
      return createProcessFault(cluster, fault.kind, fault.target);
    // `FaultyLink` describes the faults of a link.
    case 'cut':
    case 'delay':
    case 'black-hole':
    case 'throttle':
    case 'half-open':
    case 'abandoned': {
      const link = cluster.getLink(fault.target);
      return { begin: async () => link.fail(fault.kind), end: async () => link.restore() };
    }
    case 'full':
    case 'nearly-full':
    case 'truncated':
    case 'flushed':
      return createRedisFault(cluster, fault.kind);
    case 'read-only':
    case 'no-connections':
    case 'disk-full':
      return createPostgresFault(cluster, fault.kind);
    case 'clock':
      return {
        begin: async () => cluster.clock.set(fault.offsetS),
        end: async () => cluster.clock.set(0),
      };
  }
};

/** Causes the faults of a schedule, round by round. */
export class Injector {
  readonly causedFaults: CausedFault[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly log: (text: string) => void,
  ) {}

  /** Whether a fault was active at some time between `from` and `to`, as `Date.now()`. */
  hadFaultBetween(from: number, to: number): boolean {
    return this.causedFaults.some(
      ({ beganAt, recoveredAt = Infinity }) => beganAt <= to && recoveredAt >= from,
    );
  }

  /** Resolves when every fault of the round is over and its target is ready again. */
  async runRound({ pauseMs, faults }: Round, roundNumber: number): Promise<void> {
    await sleep(pauseMs);
    await Promise.all(
      faults.map(async ({ fault, afterMs, lastsMs }) => {
        await sleep(afterMs);
        await this.causeFault(fault, lastsMs, roundNumber);
      }),
    );
  }

  /** Resolves when the fault is over and its target is ready again. */
  async causeFault(fault: Fault, lastsMs: number, roundNumber: number): Promise<void> {
    const effect = createEffect(this.cluster, fault);
    const label = formatLabel(fault);
    const causedFault: CausedFault = { fault, label, round: roundNumber, beganAt: Date.now() };
    this.causedFaults.push(causedFault);
    this.log(`${label}, ${(lastsMs / 1_000).toFixed(1)} s`);
    try {
      await effect.begin();
      await sleep(lastsMs);
    } finally {
      await effect.end();
      causedFault.recoveredAt = Date.now();
    }
  }
}
