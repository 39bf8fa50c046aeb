import { Redis } from 'ioredis';
import { runInParallel } from '../driver/visitor';
import { median, computeRatios, computeSpread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt } from '../service';
import type { Driver } from '../driver/driver-process';
import { formatMicros, type Outcome, type Row, logProgress, type Settings } from './figure';

type Matching = typeof import('../../../src/modules/matching/application/match-queue.service');
type MatchQueueService = InstanceType<Matching['MatchQueueService']>;

/**
 * Key of the replicas' leases. The bench registers itself as a replica, since users of a replica without a lease are
 * not matched.
 */
const LEASES = '{matching}:leases';
const REPLICA = 'bench.1';
/**
 * Users at the head of the queue who are never matched: this many in cool-down, the same number kept apart by a
 * key, and the same number excluded by the list of a search.
 */
const EXCLUDED_COUNT = 4;
/** A search excludes at most this many users. */
const MAX_EXCLUDED = 500;
const JOINS = 1_000;
/** Longer than the run: the lease stays valid, and cool-downs are not relaxed. */
const HOUR_MS = 3_600_000;

/** The least that matching can cost: takes the oldest user of the other queue, or else joins its own. Has no rules. */
const SCRIPT_WITHOUT_RULES = `
local partner = redis.call('ZPOPMIN', KEYS[1])
if partner[1] then return partner[1] end
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[2])
return false`;

/**
 * P6: CPU µs of Redis per join, by the number of waiting users. Compared with an empty queue, so a ratio near 1 shows
 * that a join does not become slower with the length of the queue.
 */
export const measureMatching = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: false });
  const ours = new Map<number, number[]>();
  const withoutRules = new Map<number, number[]>();
  const withLongList: number[] = [];
  const withLongListAtHead: number[] = [];
  const additional = MAX_EXCLUDED - EXCLUDED_COUNT;
  const longest = Math.max(...settings.queueLengths);
  /** The length of the queue for which the numbers of excluded users are compared. */
  const comparedLength = settings.queueLengths.find((waiting) => waiting > 0) ?? longest;
  const faults: string[] = [];
  const measureJoins = async (waiting: number, exclusions?: Exclusions): Promise<number> => {
    await stores.redis.flushall();
    return (await JoinBenchmark.prepare(stores, waiting, exclusions)).measureCpuPerJoin(faults);
  };
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      for (const waiting of settings.queueLengths) {
        addValue(ours, waiting, await measureJoins(waiting));
        await stores.redis.flushall();
        addValue(withoutRules, waiting, await measureJoinsWithoutRules(stores, waiting));
      }
      withLongList.push(await measureJoins(comparedLength, { additional }));
      withLongListAtHead.push(await measureJoins(comparedLength, { additional, areWaiting: true }));
      const shown = settings.queueLengths.map(
        (waiting) => `${waiting}: ${formatMicros(ours.get(waiting)?.at(-1) ?? 0)}`,
      );
      logProgress(`matching, round ${round} of ${settings.rounds}: ${shown.join(', ')}`);
    }
  } finally {
    await stores.end();
  }
  const emptyQueue = ours.get(0) ?? [];
  const rows = settings.queueLengths.map((waiting): Row => {
    const values = ours.get(waiting) ?? [];
    const isGated = waiting === longest;
    const ratio = waiting === 0 ? undefined : computeRatios(values, emptyQueue);
    const theirs = computeSpread(withoutRules.get(waiting) ?? []);
    return {
      figure: 'P6',
      what: `Redis CPU per join, ${waiting.toLocaleString('en')} waiting (a bare ZPOPMIN script: ${formatMicros(theirs.median)})`,
      ours: formatMicros(median(values)),
      against: waiting === 0 ? '' : 'no user waiting',
      theirs: waiting === 0 ? '' : formatMicros(median(emptyQueue)),
      ratio,
      gate: isGated ? '≤ 1.5' : '',
      aim: isGated ? '≤ 1.2' : '',
      isReached: isGated && ratio ? ratio.median <= 1.5 : undefined,
    };
  });
  const withShortList = ours.get(comparedLength) ?? [];
  const createExclusionRow = (what: string, values: readonly number[], gate?: number): Row => {
    const ratio = computeRatios(values, withShortList);
    return {
      figure: 'P6',
      what: `the same, ${comparedLength.toLocaleString('en')} waiting and ${what}`,
      ours: formatMicros(median(values)),
      against: `${EXCLUDED_COUNT} excluded`,
      theirs: formatMicros(median(withShortList)),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim: '',
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  };
  rows.push(
    createExclusionRow(`${MAX_EXCLUDED} excluded`, withLongList, 2),
    createExclusionRow(`${MAX_EXCLUDED} excluded, who wait at the head`, withLongListAtHead),
  );
  const raw = {
    ours: Object.fromEntries(ours),
    withoutRules: Object.fromEntries(withoutRules),
    withLongList,
    withLongListAtHead,
  };
  return { rows, faults, raw };
};

const addValue = (map: Map<number, number[]>, key: number, value: number): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};

/** The users whom a search excludes in addition to the `EXCLUDED_COUNT` at the head of the queue. */
interface Exclusions {
  additional: number;
  /** Whether they wait at the head of the queue, too. Otherwise they are not in the queue. */
  areWaiting?: boolean;
}

/**
 * Men wait in the queue. Each woman who joins is matched with the man who has waited longest of those allowed, and a
 * new man joins, so the queue has a constant length. At its head are men with whom no woman is matched.
 */
class JoinBenchmark {
  private nextId = 1;
  private readonly coolingDown = this.createIds(EXCLUDED_COUNT);
  private readonly separated = this.createIds(EXCLUDED_COUNT);
  private readonly excluded: readonly number[];

  private constructor(
    private readonly stores: BenchStores,
    private readonly matching: MatchQueueService,
    private readonly atHead: number,
    additional: number,
  ) {
    this.excluded = this.createIds(atHead + additional);
  }

  static async prepare(
    stores: BenchStores,
    waiting: number,
    { additional, areWaiting = false }: Exclusions = { additional: 0 },
  ): Promise<JoinBenchmark> {
    const { MatchQueueService } = requireBuilt<Matching>('modules/matching/application/match-queue.service');
    await stores.redis.zadd(LEASES, Date.now() + HOUR_MS, REPLICA);
    const environment = { REMATCH_RELAX_AFTER_S: HOUR_MS / 1_000, REMATCH_COOLDOWN_S: 600 };
    const matching = new MatchQueueService(
      stores.redis,
      environment as ConstructorParameters<typeof MatchQueueService>[1],
      { replicaId: REPLICA } as ConstructorParameters<typeof MatchQueueService>[2],
    );
    const atHead = EXCLUDED_COUNT + (areWaiting ? additional : 0);
    const joins = new JoinBenchmark(stores, matching, atHead, areWaiting ? 0 : additional);
    for (const id of joins.head) await matching.join(id, 'male', 'female');
    await runInParallel(waiting, 100, async () => {
      await matching.join(joins.createId(), 'male', 'female');
    });
    return joins;
  }

  /** The users at the head of the queue, whom every join passes. */
  private get head(): readonly number[] {
    return [...this.coolingDown, ...this.separated, ...this.excluded.slice(0, this.atHead)];
  }

  async measureCpuPerJoin(faults: string[]): Promise<number> {
    const couples = Array.from({ length: JOINS / 2 }, () => ({
      man: this.createId(),
      woman: this.createId(),
    }));
    await runInParallel(couples.length * EXCLUDED_COUNT, 50, async (index) => {
      const woman = couples[Math.floor(index / EXCLUDED_COUNT)]?.woman ?? 0;
      const position = index % EXCLUDED_COUNT;
      // A chat that has ended puts its users into cool-down for each other.
      await this.matching.finish({ sessionId: 'earlier', userIds: [woman, this.coolingDown[position] ?? 0] });
      await this.matching.separate(woman, this.separated[position] ?? 0);
    });
    const head = new Set(this.head);
    const before = await this.stores.readRedisCpuMicros();
    let matched = 0;
    for (const { man, woman } of couples) {
      await this.matching.join(man, 'male', 'female', this.excluded);
      const result = await this.matching.join(woman, 'female', 'male', this.excluded);
      if (result.kind === 'matched' && !head.has(result.match.userIds[1])) matched += 1;
    }
    const spent = (await this.stores.readRedisCpuMicros()) - before;
    if (matched !== couples.length)
      faults.push(`matching: ${matched} of ${couples.length} were matched with a user who was not excluded`);
    return spent / JOINS;
  }

  private createId(): number {
    this.nextId += 1;
    return this.nextId;
  }

  private createIds(count: number): number[] {
    return Array.from({ length: count }, () => this.createId());
  }
}

const measureJoinsWithoutRules = async (stores: BenchStores, waiting: number): Promise<number> => {
  const { redis }: { redis: Redis } = stores;
  const [men, women] = ['bench:men', 'bench:women'];
  const sha = (await redis.script('LOAD', SCRIPT_WITHOUT_RULES)) as string;
  for (let start = 0; start < waiting; start += 1_000) {
    const page = Array.from({ length: Math.min(1_000, waiting - start) }, (_, index) => [
      start + index,
      start + index,
    ]);
    await redis.zadd(men, ...page.flat());
  }
  const before = await stores.readRedisCpuMicros();
  for (let index = 0; index < JOINS / 2; index += 1) {
    await redis.evalsha(sha, 2, women, men, waiting + index, `m${index}`);
    await redis.evalsha(sha, 2, men, women, waiting + index, `w${index}`);
  }
  return ((await stores.readRedisCpuMicros()) - before) / JOINS;
};
