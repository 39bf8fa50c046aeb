import type { Spread } from '../measure/statistics';

export interface Settings {
  rounds: number;
  /** Length of each contender's turn in a round. */
  seconds: number;
  pairs: number;
  messagesPerSecond: number;
  commandsPerSecond: number;
  /** Idle connections whose memory is measured (P4). */
  idleSockets: number;
  /** Numbers of waiting users for which matching is measured (P6). */
  queueLengths: readonly number[];
  /** Numbers of replicas for which publications are counted (P7). */
  replicaCounts: readonly number[];
  /** Events that are persisted in each round (P9). */
  historyRows: number;
  /** Numbers of leases for which the cost of Redis is measured (P17). */
  leaseCounts: readonly number[];
  /** Sockets opened one after the other (P13), or that lose their replica at once (P16). */
  openedSockets: number;
  /** Messages a second at which latency is measured (P8). Low enough that no contender queues messages. */
  deliveryRate: number;
  /** Length of the run with cut connections (P11). */
  cutSeconds: number;
  /** Accounts created in each turn (P14). */
  signUps: number;
  /** Folder for CPU profiles of this build's replicas; undefined: no profiles. */
  profiles?: string;
}

/** One line of the results table. */
export interface Row {
  figure: string;
  what: string;
  /** Value of this build, with its unit. */
  ours: string;
  /** The contender that it is compared with, and its value. */
  against: string;
  theirs: string;
  /** Ours divided by theirs, within each round. */
  ratio?: Spread;
  /** Limit whose violation is shown as "missed". */
  gate: string;
  /** Stricter limit than the gate, which the build should reach but need not. */
  aim: string;
  isReached?: boolean;
}

export interface Outcome {
  rows: Row[];
  /** Messages that did not arrive, arrived twice or out of order. A single fault fails the run. */
  faults: string[];
  /** All measurements, by round. */
  raw: unknown;
}

/** A build has regressed when the median, over nine rounds, of its ratio to an earlier build is above this. */
export const regressionGate = 1.05;

/** Reverses the order in even rounds, so that no contender always follows the same one. */
export const orderForRound = <Contender>(
  contenders: readonly Contender[],
  round: number,
): readonly Contender[] => (round % 2 === 1 ? contenders : [...contenders].reverse());

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const formatMicros = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} µs`;

export const logProgress = (text: string): void => void process.stderr.write(`${text}\n`);
