import { Redis } from 'ioredis';
import { inParallel } from '../driver/visitor';
import { median, computeRatios, computeSpread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt } from '../service';
import type { Driver } from '../driver/driver-process';
import { formatMicros, type Outcome, type Row, logProgress, type Settings } from './figure';

type Matching = typeof import('../../../src/modules/matching/application/match-queue.service');
type MatchQueueService = InstanceType<Matching['MatchQueueService']>;

/** Key of the replicas' leases. The bench registers itself as one replica. */
const LEASES = '{matching}:leases';
const REPLICA = 'bench.1';
/** Users at the head of the queue who are never matched: this many in cool-down, and the same number blocked. */
const EXCLUDED_COUNT = 4;
const JOINS = 1_000;

/** The least that matching can cost: takes the oldest user of the other queue, else joins the own one. No rules. */
const NAIVE = `
local partner = redis.call('ZPOPMIN', KEYS[1])
if partner[1] then return partner[1] end
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[2])
return false`;

/** P6: Redis CPU per join, by the number of waiting users. */
export const measureMatching = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: false });
  const ours = new Map<number, number[]>();
  const naive = new Map<number, number[]>();
  const faults: string[] = [];
  try {
    for (let round = 1; round <= settings.rounds; round += 1) {
      for (const waiting of settings.queueLengths) {
        await stores.redis.flushall();
        const bench = await JoinBenchmark.prepare(stores, waiting);
        addValue(ours, waiting, await bench.measureCpuPerJoin(faults));
        await stores.redis.flushall();
        addValue(naive, waiting, await measureNaiveJoins(stores, waiting));
      }
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
    const ofLength = ours.get(waiting) ?? [];
    const isGated = waiting === Math.max(...settings.queueLengths);
    const ratio = waiting === 0 ? undefined : computeRatios(ofLength, emptyQueue);
    const theirs = computeSpread(naive.get(waiting) ?? []);
    return {
      figure: 'P6',
      what: `Redis CPU per join, ${waiting.toLocaleString('en')} waiting (a bare ZPOPMIN script: ${formatMicros(theirs.median)})`,
      ours: formatMicros(median(ofLength)),
      against: waiting === 0 ? '' : 'no user waiting',
      theirs: waiting === 0 ? '' : formatMicros(median(emptyQueue)),
      ratio,
      gate: isGated ? '≤ 1.5' : '',
      aim: isGated ? '≤ 1.2' : '',
      isReached: isGated && ratio ? ratio.median <= 1.5 : undefined,
    };
  });
  return { rows, faults, raw: { ours: Object.fromEntries(ours), naive: Object.fromEntries(naive) } };
};

const addValue = (map: Map<number, number[]>, key: number, value: number): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};

class JoinBenchmark {
  private nextId = 1;

  private constructor(
    private readonly stores: BenchStores,
    private readonly matching: MatchQueueService,
    private readonly excludedIds: readonly number[],
  ) {}

  static async prepare(stores: BenchStores, waiting: number): Promise<JoinBenchmark> {
    const { MatchQueueService } = requireBuilt<Matching>('modules/matching/application/match-queue.service');
    await stores.redis.zadd(LEASES, Date.now() + 3_600_000, REPLICA);
    const environment = { REMATCH_RELAX_AFTER_S: 3_600, REMATCH_COOLDOWN_S: 600 };
    const matching = new MatchQueueService(
      stores.redis,
      environment as ConstructorParameters<typeof MatchQueueService>[1],
      { replicaId: REPLICA } as ConstructorParameters<typeof MatchQueueService>[2],
    );
    const excludedIds = Array.from({ length: EXCLUDED_COUNT * 2 }, (_, index) => index + 1);
    const benchmark = new JoinBenchmark(stores, matching, excludedIds);
    benchmark.nextId += excludedIds.length;
    for (const id of excludedIds) await matching.join(id, 'male', 'female');
    await inParallel(waiting, 100, async () => {
      await matching.join(benchmark.newId(), 'male', 'female');
    });
    return benchmark;
  }

  /**
   * Lets a man join and then a woman, who is matched with the man who has waited longest and is not excluded. The length
   * of the queue stays the same.
   */
  async measureCpuPerJoin(faults: string[]): Promise<number> {
    const couples = Array.from({ length: JOINS / 2 }, () => ({ man: this.newId(), woman: this.newId() }));
    const recent = this.excludedIds.slice(0, EXCLUDED_COUNT);
    const blocked = this.excludedIds.slice(EXCLUDED_COUNT);
    await inParallel(couples.length * recent.length, 50, async (index) => {
      const woman = couples[Math.floor(index / recent.length)]?.woman ?? 0;
      await this.matching.finish({
        // A chat that has ended puts its users into cool-down for each other.
        sessionId: 'earlier',
        userIds: [woman, recent[index % recent.length] ?? 0],
      });
    });
    const before = await this.stores.redisCpuMicros();
    let matched = 0;
    for (const { man, woman } of couples) {
      await this.matching.join(man, 'male', 'female');
      const joined = await this.matching.join(woman, 'female', 'male', blocked);
      if (joined.kind === 'matched' && !this.excludedIds.includes(joined.match.userIds[1])) matched += 1;
    }
    const spent = (await this.stores.redisCpuMicros()) - before;
    if (matched !== couples.length)
      faults.push(`matching: ${matched} of ${couples.length} were matched with a user who was not excluded`);
    return spent / JOINS;
  }

  private newId(): number {
    this.nextId += 1;
    return this.nextId;
  }
}

const measureNaiveJoins = async (stores: BenchStores, waiting: number): Promise<number> => {
  const { redis }: { redis: Redis } = stores;
  const [men, women] = ['naive:men', 'naive:women'];
  const sha = (await redis.script('LOAD', NAIVE)) as string;
  for (let start = 0; start < waiting; start += 1_000) {
    const page = Array.from({ length: Math.min(1_000, waiting - start) }, (_, index) => [
      start + index,
      start + index,
    ]);
    await redis.zadd(men, ...page.flat());
  }
  const before = await stores.redisCpuMicros();
  for (let index = 0; index < JOINS / 2; index += 1) {
    await redis.evalsha(sha, 2, women, men, waiting + index, `m${index}`);
    await redis.evalsha(sha, 2, men, women, waiting + index, `w${index}`);
  }
  return ((await stores.redisCpuMicros()) - before) / JOINS;
};
