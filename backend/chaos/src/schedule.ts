import { type Random, createSeededRandom } from './random';

/** Faults that a signal causes in a replica, a worker, nginx or a store. */
export const signalKinds = ['kill', 'pause', 'terminate'] as const;
/** Faults of the connections between two processes; `FaultyLink` describes them. */
export const linkKinds = ['cut', 'delay', 'black-hole', 'throttle', 'half-open', 'abandoned'] as const;
export type LinkKind = (typeof linkKinds)[number];
/** `truncated`: Redis loses the data of its last second, as in a power failure. */
export const redisKinds = ['full', 'nearly-full', 'truncated', 'flushed'] as const;
export const postgresKinds = ['read-only', 'no-connections', 'disk-full'] as const;

/**
 * A fault, without its time. The target is the name of a process, or of a link: `<from>-><to>`, such as `api-1->redis`.
 * `clock` shifts the clock of one replica by `offsetS` seconds.
 */
export type Fault =
  | { kind: (typeof signalKinds)[number]; target: string }
  | { kind: LinkKind; target: string }
  | { kind: (typeof redisKinds)[number]; target: 'redis' }
  | { kind: (typeof postgresKinds)[number]; target: 'postgres' }
  | { kind: 'clock'; target: string; offsetS: number };

export interface ScheduledFault {
  fault: Fault;
  /** Delay from the start of the round, in milliseconds. */
  afterMs: number;
  /** Duration of the fault, in milliseconds. The recovery follows. */
  lastsMs: number;
}

/** One or two faults, after a period without faults. */
export interface Round {
  /** Period without faults before the round, in milliseconds. */
  pauseMs: number;
  faults: ScheduledFault[];
}

/** Names of the processes of the product. */
export interface Topology {
  replicas: readonly string[];
  workers: readonly string[];
}

export interface ScheduleOptions {
  seed: number;
  topology: Topology;
  /** Estimated duration of all rounds together, in milliseconds. */
  durationMs: number;
  /** Number of faults to cause. If it is set, `durationMs` is ignored. */
  faultCount?: number;
  /** Whether to leave out a fault, because this machine cannot cause it. */
  isExcluded?: (fault: Fault) => boolean;
  /** Only faults whose label contains one of these texts. */
  labelFilters?: readonly string[];
}

/**
 * Latest end of a fault, from the beginning of the first fault of its round. Later, pages could give up and show the
 * Reconnect button.
 */
export const LATEST_FAULT_END_MS = 12_000;
/** Longest delay from the beginning of the first fault of a round until the second one begins. */
const MAX_SECOND_DELAY_MS = 2_000;
/** Longest duration of a fault. Even a second fault that begins as late as possible ends in time. */
const MAX_FAULT_MS = LATEST_FAULT_END_MS - MAX_SECOND_DELAY_MS;
/** Share of rounds with two faults. */
const SECOND_FAULT_PROBABILITY = 0.3;
/** Estimated time of a round after its faults: the recovery, and the check that the service works again. */
const ESTIMATED_RECOVERY_MS = 3_000;

/** Name of a fault in reports, such as `kill api-2` or `clock +60s api-3`. */
export const formatLabel = (fault: Fault): string => {
  if (fault.kind !== 'clock') return `${fault.kind} ${fault.target}`;
  const sign = fault.offsetS > 0 ? '+' : '';
  return `clock ${sign}${fault.offsetS}s ${fault.target}`;
};

/** Whether a fault removes acknowledged data from Redis. */
export const isLossy = ({ kind }: Fault): boolean => kind === 'truncated' || kind === 'flushed';

/**
 * Lists all faults, in classes. The faults of a class have the same kind and the same sort of target, such as `kill` of
 * any replica. A schedule draws each class equally often.
 */
export const listFaultClasses = ({ replicas, workers }: Topology): Fault[][] => {
  const signalTargets = [replicas, workers, ['redis'], ['postgres'], ['nginx']];
  const links = [
    replicas.map((name) => `${name}->redis`),
    replicas.map((name) => `${name}->postgres`),
    workers.map((name) => `${name}->redis`),
    workers.map((name) => `${name}->postgres`),
    replicas.map((name) => `nginx->${name}`),
    ['clients->nginx'],
  ];
  // libfaketime makes every read of the clock expensive, so only the last replica uses it.
  const clockTarget = replicas.at(-1) ?? '';
  return [
    ...signalTargets.flatMap((targets) =>
      signalKinds.map((kind) => targets.map((target): Fault => ({ kind, target }))),
    ),
    ...links.flatMap((targets) =>
      linkKinds.map((kind) => targets.map((target): Fault => ({ kind, target }))),
    ),
    ...redisKinds.map((kind): Fault[] => [{ kind, target: 'redis' }]),
    ...postgresKinds.map((kind): Fault[] => [{ kind, target: 'postgres' }]),
    [60, -60].map((offsetS): Fault => ({ kind: 'clock', target: clockTarget, offsetS })),
  ];
};

/** Whether two faults may be active at the same time. Faults of the same store, process or link would interfere. */
const mayCoincide = (first: Fault, second: Fault): boolean => first.target !== second.target;

/**
 * Creates the rounds of a run. The same seed and options give the same rounds.
 * @throws Error when no fault matches the options
 */
export const createSchedule = (options: ScheduleOptions): Round[] => {
  const { seed, durationMs, faultCount } = options;
  const random = createSeededRandom(seed);
  const drawFault = createDeck(random, listAllowedClasses(options));
  const createNext = (): Round => createRound(random, drawFault);
  return faultCount === undefined
    ? createRoundsForDuration(durationMs, createNext)
    : createRoundsWithFaults(faultCount, createNext);
};

/** Lists the classes without the faults that the options leave out. */
const listAllowedClasses = ({ topology, isExcluded, labelFilters }: ScheduleOptions): Fault[][] => {
  const isAllowed = (fault: Fault): boolean => {
    if (isExcluded?.(fault)) return false;
    return !labelFilters || labelFilters.some((text) => formatLabel(fault).includes(text));
  };
  return listFaultClasses(topology)
    .map((faultClass) => faultClass.filter(isAllowed))
    .filter((faultClass) => faultClass.length > 0);
};

/** Draws a fault. With `firstFault`, draws one that may be active at the same time, or undefined if there is none. */
type DrawFault = (firstFault?: Fault) => Fault | undefined;

/**
 * Creates a shuffled deck of classes. A drawn class is removed, and only an empty deck is filled again: each class is
 * drawn once before any is drawn twice.
 */
const createDeck = (random: Random, classes: readonly Fault[][]): DrawFault => {
  if (classes.length === 0) throw new Error('No fault is left to cause');
  let deck: Fault[][] = [];
  return (firstFault) => {
    const isCandidate = (fault: Fault): boolean => !firstFault || mayCoincide(fault, firstFault);
    if (deck.length === 0) deck = random.shuffle(classes);
    const index = deck.findIndex((faultClass) => faultClass.some(isCandidate));
    if (index < 0) return undefined;
    const [faultClass = []] = deck.splice(index, 1);
    return random.pick(faultClass.filter(isCandidate));
  };
};

/** Creates rounds until they have this number of faults. The last round may exceed it by one. */
const createRoundsWithFaults = (faultCount: number, createNext: () => Round): Round[] => {
  const rounds: Round[] = [];
  let scheduledCount = 0;
  while (scheduledCount < faultCount) {
    const round = createNext();
    rounds.push(round);
    scheduledCount += round.faults.length;
  }
  return rounds;
};

/** Creates the rounds that fit into the duration. The first one is kept even if it is longer. */
const createRoundsForDuration = (durationMs: number, createNext: () => Round): Round[] => {
  const rounds: Round[] = [];
  let elapsedMs = 0;
  while (elapsedMs < durationMs) {
    const round = createNext();
    elapsedMs += estimateDurationMs(round);
    const fits = elapsedMs <= durationMs;
    if (fits || rounds.length === 0) rounds.push(round);
  }
  return rounds;
};

const estimateDurationMs = ({ pauseMs, faults }: Round): number => {
  const faultsMs = Math.max(...faults.map(({ afterMs, lastsMs }) => afterMs + lastsMs));
  return pauseMs + faultsMs + ESTIMATED_RECOVERY_MS;
};

const createRound = (random: Random, drawFault: DrawFault): Round => {
  const first = drawFault();
  if (!first) throw new Error('No fault could be drawn');
  const round: Round = {
    pauseMs: random.chooseBetween(1_500, 3_000),
    faults: [{ fault: first, afterMs: 0, lastsMs: drawDurationMs(random, first) }],
  };
  const second = random.isChosen(SECOND_FAULT_PROBABILITY) ? drawFault(first) : undefined;
  if (second)
    round.faults.push({
      fault: second,
      afterMs: random.chooseBetween(0, MAX_SECOND_DELAY_MS),
      lastsMs: drawDurationMs(random, second),
    });
  return round;
};

/**
 * Draws the time in milliseconds from a fault to its recovery, at most `MAX_FAULT_MS`. It is short for a fault that is
 * a single event, such as a kill.
 */
const drawDurationMs = (random: Random, { kind }: Fault): number => {
  switch (kind) {
    case 'kill':
    case 'terminate':
    case 'truncated':
    case 'flushed':
      return random.chooseBetween(200, 1_500);
    case 'pause':
    case 'cut':
    case 'black-hole':
    case 'half-open':
    case 'abandoned':
      return random.chooseBetween(1_000, MAX_FAULT_MS);
    case 'delay':
    case 'throttle':
    case 'full':
    case 'nearly-full':
    case 'read-only':
    case 'no-connections':
    case 'disk-full':
    case 'clock':
      return random.chooseBetween(3_000, 9_000);
  }
};
