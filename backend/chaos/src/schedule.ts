import { type Random, seededRandom } from './random';

/** What can be done to a process of the product or of a store. */
export const signalKinds = ['kill', 'pause', 'terminate'] as const;
/** What a proxy can do to the connections between two processes. */
export const linkKinds = ['cut', 'delay', 'black-hole', 'throttle', 'half-open', 'abandoned'] as const;
export type LinkKind = (typeof linkKinds)[number];
export const redisKinds = ['full', 'nearly-full', 'truncated', 'flushed'] as const;
export const postgresKinds = ['read-only', 'no-connections', 'disk-full'] as const;

/** A fault, without its time. */
export type Fault =
  | { kind: (typeof signalKinds)[number]; target: string }
  /** `target` is a link, `<from>-><to>`. */
  | { kind: LinkKind; target: string }
  | { kind: (typeof redisKinds)[number]; target: 'redis' }
  | { kind: (typeof postgresKinds)[number]; target: 'postgres' }
  /** The clock of one replica is 60 s off. */
  | { kind: 'clock'; target: string; offsetS: number };

export interface ScheduledFault {
  fault: Fault;
  /** From the beginning of its round, milliseconds. */
  afterMs: number;
  /** How long it lasts, unless its cure takes longer. */
  lastsMs: number;
}

/** One or two faults at a time, then health. */
export interface Round {
  /** Health before the round, milliseconds. */
  pauseMs: number;
  faults: ScheduledFault[];
}

export interface Topology {
  replicas: readonly string[];
  workers: readonly string[];
}

export interface ScheduleOptions {
  seed: number;
  topology: Topology;
  /** For how long rounds are begun, milliseconds. */
  durationMs: number;
  /** Rounds go on until there are this many faults; `durationMs` then counts for nothing. */
  faults?: number;
  /** Faults that this machine cannot cause. */
  without?: (fault: Fault) => boolean;
  /** Only faults whose label contains one of these. */
  only?: readonly string[];
}

/** Faults that cut people off last at most this long: longer ones end at the Reconnect button. */
export const LONGEST_MS = 12_000;
/** Share of the rounds with two faults at once. */
const PAIRS = 0.3;
/** What a round takes after its faults are over: cures, and the proof that the service works again. */
const CURE_MS = 3_000;

/** How a fault is called in reports, `kill api-2`. */
export const labelOf = (fault: Fault): string =>
  `${fault.kind}${fault.kind === 'clock' ? ` ${fault.offsetS > 0 ? '+' : ''}${fault.offsetS}s` : ''} ${fault.target}`;

/** Whether a fault takes acknowledged data away from Redis. */
export const isLossy = ({ kind }: Fault): boolean => kind === 'truncated' || kind === 'flushed';

/** Every fault that there is, in classes that a schedule goes through evenly. */
export const allFaults = ({ replicas, workers }: Topology): Fault[][] => {
  const signalled = [replicas, workers, ['redis'], ['postgres'], ['nginx']];
  const links = [
    replicas.map((name) => `${name}->redis`),
    replicas.map((name) => `${name}->postgres`),
    workers.map((name) => `${name}->redis`),
    workers.map((name) => `${name}->postgres`),
    replicas.map((name) => `nginx->${name}`),
    ['people->nginx'],
  ];
  return [
    ...signalled.flatMap((targets) =>
      signalKinds.map((kind) => targets.map((target): Fault => ({ kind, target }))),
    ),
    ...links.flatMap((targets) =>
      linkKinds.map((kind) => targets.map((target): Fault => ({ kind, target }))),
    ),
    ...redisKinds.map((kind): Fault[] => [{ kind, target: 'redis' }]),
    ...postgresKinds.map((kind): Fault[] => [{ kind, target: 'postgres' }]),
    // libfaketime costs a replica time on every look at the clock: one is enough.
    [60, -60].map((offsetS): Fault => ({ kind: 'clock', target: replicas.at(-1) ?? '', offsetS })),
  ];
};

/** Two faults at one store, one process or one link would be in each other's way. */
const mayCoincide = (first: Fault, second: Fault): boolean => first.target !== second.target;

/**
 * The rounds of a run. The same seed and options give the same rounds.
 * Classes of faults come from a shuffled deck, so that no class is met twice before every class was met once.
 */
export const schedule = ({ seed, topology, durationMs, faults, without, only }: ScheduleOptions): Round[] => {
  const random = seededRandom(seed);
  const classes = allFaults(topology)
    .map((each) =>
      each.filter(
        (fault) => !without?.(fault) && (!only || only.some((text) => labelOf(fault).includes(text))),
      ),
    )
    .filter((each) => each.length > 0);
  if (classes.length === 0) throw new Error('No fault is left to cause');
  let deck: Fault[][] = [];
  const draw = (companion?: Fault): Fault | undefined => {
    if (deck.length === 0) deck = random.shuffle(classes);
    const index = deck.findIndex((each) => !companion || each.some((fault) => mayCoincide(fault, companion)));
    const [drawn] = index < 0 ? [] : deck.splice(index, 1);
    const fitting = drawn?.filter((fault) => !companion || mayCoincide(fault, companion)) ?? [];
    return fitting.length > 0 ? random.pick(fitting) : undefined;
  };
  const rounds: Round[] = [];
  let elapsedMs = 0;
  let count = 0;
  while (faults === undefined ? elapsedMs < durationMs : count < faults) {
    const round = makeRound(random, draw);
    const busyMs = Math.max(...round.faults.map(({ afterMs, lastsMs }) => afterMs + lastsMs));
    elapsedMs += round.pauseMs + busyMs + CURE_MS;
    if (faults === undefined && rounds.length > 0 && elapsedMs > durationMs) break;
    rounds.push(round);
    count += round.faults.length;
  }
  return rounds;
};

const makeRound = (random: Random, draw: (companion?: Fault) => Fault | undefined): Round => {
  const first = draw();
  if (!first) throw new Error('No fault could be drawn');
  const round: Round = {
    pauseMs: random.between(1_500, 3_000),
    faults: [{ fault: first, afterMs: 0, lastsMs: lastsMs(random, first) }],
  };
  const second = random.chance(PAIRS) ? draw(first) : undefined;
  if (second)
    round.faults.push({
      fault: second,
      afterMs: random.between(0, 2_000),
      // The two are over within the longest time that people are cut off.
      lastsMs: Math.min(lastsMs(random, second), LONGEST_MS - 2_000),
    });
  return round;
};

/** Faults that are over in a moment, such as a kill, last until their cure. */
const lastsMs = (random: Random, { kind }: Fault): number => {
  switch (kind) {
    case 'kill':
    case 'terminate':
    case 'truncated':
    case 'flushed':
      return random.between(200, 1_500);
    case 'pause':
    case 'cut':
    case 'black-hole':
    case 'half-open':
    case 'abandoned':
      return random.between(1_000, 10_000);
    case 'delay':
    case 'throttle':
    case 'full':
    case 'nearly-full':
    case 'read-only':
    case 'no-connections':
    case 'disk-full':
    case 'clock':
      return random.between(3_000, 9_000);
  }
};
