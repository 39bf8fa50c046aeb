import type { Spread } from '../measure/statistics';

/** Sizes of the measurements. In parentheses: the figure that uses the value, by its name in README.md. */
export interface Settings {
  /** In each round, every contender has one turn. A contender is a build of Thaw, or a baseline to compare it with. */
  rounds: number;
  /** Length of a turn. */
  seconds: number;
  /** Pairs of clients in chats, or single clients that send commands (P3). */
  pairs: number;
  /** Chat messages of all pairs together. */
  messagesPerSecond: number;
  /** Commands of all clients together (P3). */
  commandsPerSecond: number;
  /** Idle connections whose memory is measured (P4). */
  idleSockets: number;
  /** Numbers of waiting users for which matching is measured (P6). */
  queueLengths: readonly number[];
  /** Numbers of replicas for which publications are counted (P7). */
  replicaCounts: readonly number[];
  /** Events that are persisted in each round (P9). */
  historyRows: number;
  /** Numbers of live replicas, each with a lease in Redis, for which the cost of Redis is measured (P17). */
  replicaLeaseCounts: readonly number[];
  /** Sockets opened one after the other (P13), or that lose their replica at once (P16). */
  openedSockets: number;
  /** How often P13 opens and closes its sockets before it measures. */
  warmUpOpenings: number;
  /** Messages a second at which latency is measured (P8). Low enough that no contender queues messages. */
  deliveryRate: number;
  /** Length of the run with cut connections (P11). */
  cutRunSeconds: number;
  /** Accounts created in each turn (P14). Also the number of chats, and of private messages, that `cost` measures. */
  signUps: number;
  /** Folder for CPU profiles; undefined: no profiles are taken. */
  profileFolder?: string;
}

/** One line of the results table. */
export interface Row {
  /** Name of the figure, such as `P4`. */
  figure: string;
  /** What is measured, in words. */
  label: string;
  /** Value of this build, with its unit. */
  ours: string;
  /** Name of the contender that this build is compared with. */
  against: string;
  /** Value of that contender, with its unit. */
  theirs: string;
  /** Ratios of our value to theirs in the same round. */
  ratio?: Spread;
  /** Limit whose violation is shown as "missed". */
  gate: string;
  /** A stricter limit, which the build should reach but need not. */
  aim: string;
  /** Whether the value meets the gate (shown as "reached" or "missed"); undefined without a gate. */
  isReached?: boolean;
}

export interface Outcome {
  rows: Row[];
  /** Errors of a contender, such as messages that did not arrive, or arrived twice. A single fault fails the run. */
  faults: string[];
  /** The values of every round, which are written to a JSON file. */
  raw: unknown;
}

/** Above this median ratio of its CPU time to an earlier build's, in nine rounds, a build has regressed. */
export const regressionGate = 1.05;

/** Reverses the order in every other round, so that no contender always follows the same one. */
export const orderForRound = <Contender>(
  contenders: readonly Contender[],
  round: number,
): readonly Contender[] => (round % 2 === 1 ? contenders : [...contenders].reverse());

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const formatMicros = (micros: number): string => `${micros.toFixed(micros < 10 ? 1 : 0)} µs`;

export const logProgress = (text: string): void => void process.stderr.write(`${text}\n`);
