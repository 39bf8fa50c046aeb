import type { Spread } from '../measure/statistics';

export interface Settings {
  rounds: number;
  /** Length of each contender's turn in a round. */
  seconds: number;
  pairs: number;
  messagesPerSecond: number;
  commandsPerSecond: number;
  idleSockets: number;
  waiting: readonly number[];
  replicas: readonly number[];
  historyRows: number;
  leases: readonly number[];
  /** Sockets opened one after the other (P13), or that lose their replica at once (P16). */
  arrivals: number;
  /** Folder for CPU profiles of our replicas; undefined: no profiles. */
  profiles?: string;
}

/** One line of the results table. */
export interface Row {
  figure: string;
  what: string;
  ours: string;
  against: string;
  theirs: string;
  /** Ours divided by theirs, within each round. */
  ratio?: Spread;
  gate: string;
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

/** How much more than an earlier build ours may cost: the median ratio of nine rounds (design/performance.md). */
export const regressionGate = 1.05;

/** Reverses the order in even rounds, so that no contender always follows the same one. */
export const inTurn = <Contender>(contenders: readonly Contender[], round: number): readonly Contender[] =>
  round % 2 === 1 ? contenders : [...contenders].reverse();

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const micros = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} µs`;

export const say = (text: string): void => void process.stderr.write(`${text}\n`);
