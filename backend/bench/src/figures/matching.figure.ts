import { Redis } from 'ioredis';
import { inParallel } from '../driver/visitor';
import { median, ratios, spread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt } from '../service';
import type { Driver } from '../driver/driver-process';
import { micros, type Outcome, type Row, say, type Settings } from './figure';

type Matching = typeof import('../../../src/modules/matching/application/match-queue.service');
type MatchQueueService = InstanceType<Matching['MatchQueueService']>;

/** Key of the replicas' leases. The bench registers itself as one replica. */
const LEASES = '{matching}:leases';
const REPLICA = 'bench.1';
/** Users at the head of the queue who are never matched: this many in cool-down, and as many blocked. */
const PASSED_OVER = 4;
const JOINS = 1_000;

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
      for (const waiting of settings.waiting) {
        await stores.redis.flushall();
        const bench = await Joins.among(stores, waiting);
        put(ours, waiting, await bench.perJoin(faults));
        await stores.redis.flushall();
        put(naive, waiting, await naiveJoins(stores, waiting));
      }
      const shown = settings.waiting.map(
        (waiting) => `${waiting}: ${micros(ours.get(waiting)?.at(-1) ?? 0)}`,
      );
      say(`matching, round ${round} of ${settings.rounds}: ${shown.join(', ')}`);
    }
  } finally {
    await stores.end();
  }
  const none = ours.get(0) ?? [];
  const rows = settings.waiting.map((waiting): Row => {
    const here = ours.get(waiting) ?? [];
    const isGated = waiting === Math.max(...settings.waiting);
    const ratio = waiting === 0 ? undefined : ratios(here, none);
    const theirs = spread(naive.get(waiting) ?? []);
    return {
      figure: 'P6',
      what: `Redis CPU per join, ${waiting.toLocaleString('en')} waiting (a bare ZPOPMIN script: ${micros(theirs.median)})`,
      ours: micros(median(here)),
      against: waiting === 0 ? '' : 'nobody waiting',
      theirs: waiting === 0 ? '' : micros(median(none)),
      ratio,
      gate: isGated ? '≤ 1.5' : '',
      aim: isGated ? '≤ 1.2' : '',
      isReached: isGated && ratio ? ratio.median <= 1.5 : undefined,
    };
  });
  return { rows, faults, raw: { ours: Object.fromEntries(ours), naive: Object.fromEntries(naive) } };
};

const put = (map: Map<number, number[]>, key: number, value: number): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};

class Joins {
  private nextId = 1;

  private constructor(
    private readonly stores: BenchStores,
    private readonly matching: MatchQueueService,
    private readonly passedOver: readonly number[],
  ) {}

  static async among(stores: BenchStores, waiting: number): Promise<Joins> {
    const { MatchQueueService } = requireBuilt<Matching>('modules/matching/application/match-queue.service');
    await stores.redis.zadd(LEASES, Date.now() + 3_600_000, REPLICA);
    const environment = { REMATCH_RELAX_AFTER_S: 3_600, REMATCH_COOLDOWN_S: 600 };
    const matching = new MatchQueueService(
      stores.redis,
      environment as ConstructorParameters<typeof MatchQueueService>[1],
      { replicaId: REPLICA } as ConstructorParameters<typeof MatchQueueService>[2],
    );
    const passedOver = Array.from({ length: PASSED_OVER * 2 }, (_, index) => index + 1);
    const joins = new Joins(stores, matching, passedOver);
    joins.nextId += passedOver.length;
    for (const id of passedOver) await matching.join(id, 'male', 'female');
    await inParallel(waiting, 100, async () => {
      await matching.join(joins.newId(), 'male', 'female');
    });
    return joins;
  }

  /** After each man joins a woman who is matched with the oldest man allowed, so the queue length is constant. */
  async perJoin(faults: string[]): Promise<number> {
    const couples = Array.from({ length: JOINS / 2 }, () => ({ man: this.newId(), woman: this.newId() }));
    const recent = this.passedOver.slice(0, PASSED_OVER);
    const blocked = this.passedOver.slice(PASSED_OVER);
    await inParallel(couples.length * recent.length, 50, async (index) => {
      const woman = couples[Math.floor(index / recent.length)]?.woman ?? 0;
      await this.matching.finish({
        sessionId: 'earlier',
        userIds: [woman, recent[index % recent.length] ?? 0],
      });
    });
    const before = await this.stores.redisCpuMicros();
    let matched = 0;
    for (const { man, woman } of couples) {
      await this.matching.join(man, 'male', 'female');
      const place = await this.matching.join(woman, 'female', 'male', blocked);
      if (place.kind === 'matched' && !this.passedOver.includes(place.match.userIds[1])) matched += 1;
    }
    const spent = (await this.stores.redisCpuMicros()) - before;
    if (matched !== couples.length)
      faults.push(`matching: ${matched} of ${couples.length} were matched as they should`);
    return spent / JOINS;
  }

  private newId(): number {
    this.nextId += 1;
    return this.nextId;
  }
}

const naiveJoins = async (stores: BenchStores, waiting: number): Promise<number> => {
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
