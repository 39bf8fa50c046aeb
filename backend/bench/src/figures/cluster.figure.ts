import type { Driver } from '../driver/driver-process';
import { runInParallel } from '../driver/visitor';
import { computeRatios, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt, Service } from '../service';
import { formatMicros, logProgress, orderForRound, type Outcome, type Row, type Settings } from './figure';
import { type Contender, findFaults, measureTurn, type Turn, WARM_UP_SECONDS } from './relay.figure';

type Matching = typeof import('../../../src/modules/matching/application/match-queue.service');
type Connections = typeof import('../../../src/platform/redis/redis-connection.factory');
type RedisClient = ReturnType<Connections['connectRedis']>;

const ONE_SERVER = 'one server';
const CLUSTER = 'three primaries';

const LEASES = '{matching}:leases';
const REPLICA = 'bench.1';
const HOUR_MS = 3_600_000;
/** Joins that are measured in one turn, and how many of them are sent at a time. */
const JOINS = 5_000;
const JOINS_AT_ONCE = 64;

/** What a turn of joins measures. */
interface Joins {
  perSecond: number;
  redisMicros: number;
}

/**
 * The same build with one Redis server and with a Redis Cluster of three primaries: CPU µs of both replicas and of
 * Redis per message, and what the slot of matching carries.
 */
export const measureCluster = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const waiting = settings.queueLengths[1] ?? 0;
  const faults: string[] = [];
  const stores = {
    [ONE_SERVER]: await BenchStores.open({ hasDatabase: true }),
    [CLUSTER]: await BenchStores.openWithCluster(),
  };
  const services: Service[] = [];
  const contenders: Contender[] = [];
  const turns = new Map<string, Turn[]>();
  const joins = new Map<string, Joins[]>();
  try {
    for (const [name, ownStores] of Object.entries(stores)) {
      logProgress(`  opening ${name}`);
      const service = await Service.start(ownStores, { replicas: 2 });
      services.push(service);
      const [first = '', second = ''] = service.origins;
      const group = await driver.call('openRelay', {
        contender: 'thaw',
        origins: [first, second],
        pairs: settings.pairs,
      });
      const servers = service.replicas.map(({ server }) => server);
      contenders.push({ name, group, servers, stores: ownStores, worker: () => service.worker });
    }
    for (const { name, group } of contenders) {
      const seconds = Math.min(WARM_UP_SECONDS, settings.seconds * 2);
      const load = await driver.call('runRelay', { group, perSecond: settings.messagesPerSecond, seconds });
      faults.push(...findFaults(`${name}, warming up`, load));
    }
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`cluster, round ${round} of ${settings.rounds}`);
      for (const contender of orderForRound(contenders, round)) {
        const turn = await measureTurn(driver, contender, settings);
        faults.push(...findFaults(contender.name, turn.load));
        addValue(turns, contender.name, turn);
        logProgress(
          `  ${contender.name}: node ${formatMicros(turn.node)}, redis ${formatMicros(turn.redis)}`,
        );
      }
    }
    for (const { group } of contenders.splice(0)) await driver.call('closeGroup', { group });
    await Promise.all(services.splice(0).map((service) => service.stop()));

    for (let round = 1; round <= settings.rounds; round += 1) {
      for (const [name, ownStores] of orderForRound(Object.entries(stores), round)) {
        const measured = await measureJoins(ownStores, waiting, faults);
        addValue(joins, name, measured);
        logProgress(
          `  ${name}: ${measured.perSecond.toFixed(0)} joins/s, redis ${formatMicros(measured.redisMicros)}`,
        );
      }
    }
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(services.map((service) => service.stop()));
    for (const ownStores of Object.values(stores)) await ownStores.end();
  }
  return {
    rows: createRows(turns, joins, waiting),
    faults,
    raw: { turns: Object.fromEntries(turns), joins: Object.fromEntries(joins) },
  };
};

/** Women and men join in turn, over connections with the options of the request path, while other men wait. */
const measureJoins = async (stores: BenchStores, waiting: number, faults: string[]): Promise<Joins> => {
  const { connectRedis, waitForFirstAttempt } = requireBuilt<Connections>(
    'platform/redis/redis-connection.factory',
  );
  const redis = connectRedis(
    { REDIS_URL: stores.redisUrl },
    { enableOfflineQueue: true, commandTimeout: 5_000 },
  );
  try {
    await waitForFirstAttempt(redis);
    await stores.redis.flushall();
    await stores.redis.zadd(LEASES, Date.now() + HOUR_MS, REPLICA);
    const matching = createMatching(redis);
    await runInParallel(
      waiting,
      100,
      async (index) => void (await matching.join(index + 1, 'male', 'female')),
    );
    const before = await stores.readRedisCpuMicros();
    const startedAt = performance.now();
    let matched = 0;
    await runInParallel(JOINS, JOINS_AT_ONCE, async (index) => {
      const id = waiting + 1 + index;
      const state =
        index % 2 === 0
          ? await matching.join(id, 'male', 'female')
          : await matching.join(id, 'female', 'male');
      if (state.kind === 'matched') matched += 1;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const spent = (await stores.readRedisCpuMicros()) - before;
    if (matched !== JOINS / 2) faults.push(`matching: ${matched} of ${JOINS / 2} were matched`);
    return { perSecond: JOINS / seconds, redisMicros: spent / JOINS };
  } finally {
    redis.disconnect();
  }
};

const createMatching = (redis: RedisClient) => {
  const { MatchQueueService } = requireBuilt<Matching>('modules/matching/application/match-queue.service');
  const environment = { REMATCH_RELAX_AFTER_S: HOUR_MS / 1_000, REMATCH_COOLDOWN_S: 600 };
  return new MatchQueueService(
    redis,
    environment as ConstructorParameters<typeof MatchQueueService>[1],
    { replicaId: REPLICA } as ConstructorParameters<typeof MatchQueueService>[2],
  );
};

const createRows = (
  turns: ReadonlyMap<string, readonly Turn[]>,
  joins: ReadonlyMap<string, readonly Joins[]>,
  waiting: number,
): Row[] => {
  const createRow = <Value>(
    what: string,
    values: ReadonlyMap<string, readonly Value[]>,
    read: (value: Value) => number,
    format: (value: number) => string,
  ): Row => {
    const [ours, theirs] = [CLUSTER, ONE_SERVER].map((name) => (values.get(name) ?? []).map(read));
    return {
      figure: 'cluster',
      what,
      ours: format(median(ours ?? [])),
      against: ONE_SERVER,
      theirs: format(median(theirs ?? [])),
      ratio: computeRatios(ours ?? [], theirs ?? []),
      gate: '',
      aim: '',
    };
  };
  const formatRate = (value: number): string => `${value.toFixed(0)} /s`;
  const slot = `${waiting.toLocaleString('en')} waiting`;
  return [
    createRow(
      'Node CPU per message, both replicas, three primaries',
      turns,
      ({ node }) => node,
      formatMicros,
    ),
    createRow('Redis CPU per message, the three together', turns, ({ redis }) => redis, formatMicros),
    createRow(
      `Joins that the slot of matching carries, ${slot}`,
      joins,
      ({ perSecond }) => perSecond,
      formatRate,
    ),
    createRow(`Redis CPU per join, ${slot}`, joins, ({ redisMicros }) => redisMicros, formatMicros),
  ];
};

const addValue = <Value>(map: Map<string, Value[]>, key: string, value: Value): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};
