import { runInParallel } from '../driver/run-in-parallel';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt } from '../service';
import type { Driver } from '../driver/driver-process';
import { formatMicros, type Outcome, type Row, logProgress, type Settings } from './figure';

type MatchQueueModule = typeof import('../../../src/modules/matching/application/match-queue.service');
type MatchQueueService = InstanceType<MatchQueueModule['MatchQueueService']>;

/**
 * Key of the sorted set of live replicas, by the time at which the lease of each expires. The bench adds itself, since
 * users of a replica without a lease are not matched.
 */
const LEASES_KEY = '{matching}:leases';
const BENCH_REPLICA_ID = 'bench.1';
/**
 * Number of men at the head of the queue for each of three reasons not to match them with a woman: they are recent
 * partners in cool-down, a block keeps them apart (`separate`), or the list of the search excludes them.
 */
const EXCLUDED_COUNT = 4;
/** A search excludes at most this many users. */
const MAX_EXCLUDED = 500;
/** Joins of one measurement. */
const JOINS_PER_TURN = 1_000;
/** Longer than the run: the lease of the bench stays valid, and no search is long enough to ignore a cool-down. */
const HOUR_MS = 3_600_000;
/** The default of `REMATCH_COOLDOWN_S`. */
const COOL_DOWN_S = 600;
const QUEUE_FILL_CONCURRENCY = 100;
const EXCLUSION_CONCURRENCY = 50;
// Limits of ratios (`gate` and `aim` of a row).
const MAX_RATIO_TO_EMPTY_QUEUE = 1.5;
const AIMED_RATIO_TO_EMPTY_QUEUE = 1.2;
const MAX_RATIO_OF_LONG_LIST = 2;

/**
 * Matching without rules, which costs the least: matches a user with the one who has waited longest in the other queue,
 * or else adds the user to their own queue.
 */
const SCRIPT_WITHOUT_RULES = `
local partner = redis.call('ZPOPMIN', KEYS[1])
if partner[1] then return partner[1] end
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[2])
return false`;

/** CPU µs of Redis per join, a value for each round. */
interface Measurement {
  /** By the number of waiting users. */
  ours: Map<number, number[]>;
  /** Of `SCRIPT_WITHOUT_RULES`, by the number of waiting users. */
  withoutRules: Map<number, number[]>;
  /** Of searches that exclude `MAX_EXCLUDED` users, at the length that `chooseComparedLength` returns. */
  withLongList: number[];
  /** Like `withLongList`, but all excluded users wait at the head of the queue. */
  withLongListAtHead: number[];
}

/**
 * Figure P6 (README.md of the bench): CPU µs of Redis per join, by the number of waiting users. Compared with an empty
 * queue, so a ratio near 1 shows that a join does not become slower with the length of the queue.
 */
export const measureMatching = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const faults: string[] = [];
  const measurement = await measureRounds(settings, faults);
  const raw = {
    ...measurement,
    ours: Object.fromEntries(measurement.ours),
    withoutRules: Object.fromEntries(measurement.withoutRules),
  };
  const rows = [...createLengthRows(measurement, settings), ...createExclusionRows(measurement, settings)];
  return { rows, faults, raw };
};

/** Returns the queue length at which long and short lists of excluded users are compared: the first one above 0. */
const chooseComparedLength = ({ queueLengths }: Settings): number =>
  queueLengths.find((length) => length > 0) ?? 0;

/** @param faults receives the faults of all rounds */
const measureRounds = async (settings: Settings, faults: string[]): Promise<Measurement> => {
  const ours = new Map<number, number[]>();
  const withoutRules = new Map<number, number[]>();
  const withLongList: number[] = [];
  const withLongListAtHead: number[] = [];
  const additionalCount = MAX_EXCLUDED - EXCLUDED_COUNT;
  const comparedLength = chooseComparedLength(settings);
  const stores = await BenchStores.open({ hasDatabase: false });
  const measureJoins = async (waitingCount: number, exclusions?: Exclusions): Promise<number> => {
    await stores.redis.flushall();
    return (await JoinBenchmark.prepare(stores, waitingCount, exclusions)).measureCpuPerJoin(faults);
  };
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      for (const waitingCount of settings.queueLengths) {
        addValue(ours, waitingCount, await measureJoins(waitingCount));
        await stores.redis.flushall();
        addValue(withoutRules, waitingCount, await measureJoinsWithoutRules(stores, waitingCount));
      }
      withLongList.push(await measureJoins(comparedLength, { additionalCount }));
      withLongListAtHead.push(await measureJoins(comparedLength, { additionalCount, areWaiting: true }));
      const progress = settings.queueLengths.map(
        (waitingCount) => `${waitingCount}: ${formatMicros(ours.get(waitingCount)?.at(-1) ?? 0)}`,
      );
      logProgress(`matching, round ${round} of ${settings.rounds}: ${progress.join(', ')}`);
    }
  } finally {
    await stores.end();
  }
  return { ours, withoutRules, withLongList, withLongListAtHead };
};

/** Creates a row for each queue length. Only the longest has a gate. */
const createLengthRows = ({ ours, withoutRules }: Measurement, { queueLengths }: Settings): Row[] => {
  const longest = Math.max(...queueLengths);
  const emptyQueue = ours.get(0) ?? [];
  return queueLengths.map((waitingCount): Row => {
    const values = ours.get(waitingCount) ?? [];
    const scriptMicros = formatMicros(median(withoutRules.get(waitingCount) ?? []));
    const row = {
      figure: 'P6',
      label: `Redis CPU per join, ${waitingCount.toLocaleString('en')} waiting (a bare ZPOPMIN script: ${scriptMicros})`,
      ours: formatMicros(median(values)),
    };
    if (waitingCount === 0) return { ...row, against: '', theirs: '', gate: '', aim: '' };
    const ratio = computeRatios(values, emptyQueue);
    const isGated = waitingCount === longest;
    return {
      ...row,
      against: 'no user waiting',
      theirs: formatMicros(median(emptyQueue)),
      ratio,
      gate: isGated ? `≤ ${MAX_RATIO_TO_EMPTY_QUEUE}` : '',
      aim: isGated ? `≤ ${AIMED_RATIO_TO_EMPTY_QUEUE}` : '',
      isReached: isGated ? ratio.median <= MAX_RATIO_TO_EMPTY_QUEUE : undefined,
    };
  });
};

/** Creates the rows of the longest list of excluded users, compared with the short list at the same queue length. */
const createExclusionRows = (
  { ours, withLongList, withLongListAtHead }: Measurement,
  settings: Settings,
): Row[] => {
  const comparedLength = chooseComparedLength(settings);
  const withShortList = ours.get(comparedLength) ?? [];
  const createRow = (exclusions: string, values: readonly number[]) => ({
    figure: 'P6',
    label: `the same, ${comparedLength.toLocaleString('en')} waiting and ${exclusions}`,
    ours: formatMicros(median(values)),
    against: `${EXCLUDED_COUNT} excluded`,
    theirs: formatMicros(median(withShortList)),
    ratio: computeRatios(values, withShortList),
    gate: '',
    aim: '',
  });
  const longListRow = createRow(`${MAX_EXCLUDED} excluded`, withLongList);
  return [
    {
      ...longListRow,
      gate: `≤ ${MAX_RATIO_OF_LONG_LIST}`,
      isReached: longListRow.ratio.median <= MAX_RATIO_OF_LONG_LIST,
    },
    createRow(`${MAX_EXCLUDED} excluded, who wait at the head`, withLongListAtHead),
  ];
};

const addValue = (map: Map<number, number[]>, key: number, value: number): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};

/** The users whom a search excludes in addition to the `EXCLUDED_COUNT` at the head of the queue. */
interface Exclusions {
  additionalCount: number;
  /** Whether these users wait at the head of the queue, too. Otherwise they are not in the queue. */
  areWaiting?: boolean;
}

/**
 * Men wait in the queue. Each woman who joins is matched with the man who has waited longest of those allowed, and a
 * new man joins, so the queue has a constant length. At its head are men with whom no woman is matched.
 */
class JoinBenchmark {
  private lastId = 1;
  private readonly coolingDownIds = this.createIds(EXCLUDED_COUNT);
  private readonly separatedIds = this.createIds(EXCLUDED_COUNT);
  /** The list of every search. The first `excludedAtHeadCount` of these users wait at the head of the queue. */
  private readonly excludedIds: readonly number[];

  private constructor(
    private readonly stores: BenchStores,
    private readonly matchQueue: MatchQueueService,
    private readonly excludedAtHeadCount: number,
    excludedElsewhereCount: number,
  ) {
    this.excludedIds = this.createIds(excludedAtHeadCount + excludedElsewhereCount);
  }

  /** Fills the queue. @param waitingCount number of men in the queue behind those at its head */
  static async prepare(
    stores: BenchStores,
    waitingCount: number,
    { additionalCount, areWaiting = false }: Exclusions = { additionalCount: 0 },
  ): Promise<JoinBenchmark> {
    const { MatchQueueService } = requireBuilt<MatchQueueModule>(
      'modules/matching/application/match-queue.service',
    );
    await stores.redis.zadd(LEASES_KEY, Date.now() + HOUR_MS, BENCH_REPLICA_ID);
    const environment = { REMATCH_RELAX_AFTER_S: HOUR_MS / 1_000, REMATCH_COOLDOWN_S: COOL_DOWN_S };
    const matchQueue = new MatchQueueService(
      stores.redis,
      environment as ConstructorParameters<typeof MatchQueueService>[1],
      { replicaId: BENCH_REPLICA_ID } as ConstructorParameters<typeof MatchQueueService>[2],
    );
    const excludedAtHeadCount = EXCLUDED_COUNT + (areWaiting ? additionalCount : 0);
    const excludedElsewhereCount = areWaiting ? 0 : additionalCount;
    const benchmark = new JoinBenchmark(stores, matchQueue, excludedAtHeadCount, excludedElsewhereCount);
    for (const userId of benchmark.headIds) await matchQueue.join(userId, 'male', 'female');
    await runInParallel(waitingCount, QUEUE_FILL_CONCURRENCY, async () => {
      await matchQueue.join(benchmark.createId(), 'male', 'female');
    });
    return benchmark;
  }

  /** The users at the head of the queue, whom every join passes. */
  private get headIds(): readonly number[] {
    const excludedAtHeadIds = this.excludedIds.slice(0, this.excludedAtHeadCount);
    return [...this.coolingDownIds, ...this.separatedIds, ...excludedAtHeadIds];
  }

  async measureCpuPerJoin(faults: string[]): Promise<number> {
    const couples = Array.from({ length: JOINS_PER_TURN / 2 }, () => ({
      manId: this.createId(),
      womanId: this.createId(),
    }));
    await this.keepFromHead(couples.map(({ womanId }) => womanId));
    const headIds = new Set(this.headIds);
    const microsBefore = await this.stores.readRedisCpuMicros();
    let matchCount = 0;
    for (const { manId, womanId } of couples) {
      await this.matchQueue.join(manId, 'male', 'female', this.excludedIds);
      const state = await this.matchQueue.join(womanId, 'female', 'male', this.excludedIds);
      // The second user of a match is the one who was waiting.
      if (state.kind === 'matched' && !headIds.has(state.match.userIds[1])) matchCount += 1;
    }
    const micros = (await this.stores.readRedisCpuMicros()) - microsBefore;
    if (matchCount !== couples.length)
      faults.push(
        `matching: ${matchCount} of ${couples.length} were matched with a user who was not excluded`,
      );
    return micros / JOINS_PER_TURN;
  }

  /** Starts the cool-downs and sets the blocks that keep the women from the men at the head of the queue. */
  private async keepFromHead(womanIds: readonly number[]): Promise<void> {
    await runInParallel(womanIds.length * EXCLUDED_COUNT, EXCLUSION_CONCURRENCY, async (index) => {
      const womanId = womanIds[Math.floor(index / EXCLUDED_COUNT)] ?? 0;
      const position = index % EXCLUDED_COUNT;
      // The end of a chat starts the cool-down of its two users.
      const partners = [womanId, this.coolingDownIds[position] ?? 0] as const;
      await this.matchQueue.finish({ sessionId: 'earlier', userIds: partners });
      await this.matchQueue.separate(womanId, this.separatedIds[position] ?? 0);
    });
  }

  private createId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  private createIds(count: number): number[] {
    return Array.from({ length: count }, () => this.createId());
  }
}

const MEN_KEY = 'bench:men';
const WOMEN_KEY = 'bench:women';
const MEMBERS_PER_CALL = 1_000;

/** @returns CPU µs of Redis per join with `SCRIPT_WITHOUT_RULES`, while `waitingCount` men wait */
const measureJoinsWithoutRules = async (stores: BenchStores, waitingCount: number): Promise<number> => {
  const { redis } = stores;
  const sha = (await redis.script('LOAD', SCRIPT_WITHOUT_RULES)) as string;
  for (let start = 0; start < waitingCount; start += MEMBERS_PER_CALL) {
    const count = Math.min(MEMBERS_PER_CALL, waitingCount - start);
    const scoresAndMembers = Array.from({ length: count }, (_, index) => [start + index, start + index]);
    await redis.zadd(MEN_KEY, ...scoresAndMembers.flat());
  }
  const microsBefore = await stores.readRedisCpuMicros();
  for (let index = 0; index < JOINS_PER_TURN / 2; index += 1) {
    await redis.evalsha(sha, 2, WOMEN_KEY, MEN_KEY, waitingCount + index, `m${index}`);
    await redis.evalsha(sha, 2, MEN_KEY, WOMEN_KEY, waitingCount + index, `w${index}`);
  }
  return ((await stores.readRedisCpuMicros()) - microsBefore) / JOINS_PER_TURN;
};
