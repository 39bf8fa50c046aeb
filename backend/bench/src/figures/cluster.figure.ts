import type { Driver } from '../driver/driver-process';
import { runInParallel } from '../driver/run-in-parallel';
import { computeRatios, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt, Service } from '../service';
import { formatMicros, logProgress, orderForRound, type Outcome, type Row, type Settings } from './figure';
import { type Contender, findFaults, measureTurn, type Turn, WARM_UP_SECONDS } from './relay.figure';

type MatchQueueModule = typeof import('../../../src/modules/matching/application/match-queue.service');
type RedisConnectionModule = typeof import('../../../src/platform/redis/redis-connection.factory');
type RedisClient = ReturnType<RedisConnectionModule['connectRedis']>;

const ONE_SERVER = 'one server';
const CLUSTER = 'three primaries';

/**
 * Key of the sorted set of live replicas, scored by the time at which the lease of each expires. Users of a replica
 * that is not in it are not matched.
 */
const LEASES_KEY = '{matching}:leases';
const BENCH_REPLICA_ID = 'bench.1';
const HOUR_MS = 3_600_000;
const JOINS_PER_TURN = 5_000;
const JOIN_CONCURRENCY = 64;
const QUEUE_FILL_CONCURRENCY = 100;

/** Result of a turn in which users join the match queue. */
interface JoinTurn {
  joinsPerSecond: number;
  /** CPU µs of Redis per join. */
  redisMicros: number;
}

/**
 * `cluster`: the same build with one Redis server and with a Redis Cluster of three primaries. It measures CPU µs of
 * both replicas and of Redis per message, and joins of the match queue, whose keys are all in one hash slot and
 * therefore on one primary.
 */
export const measureCluster = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const waitingCount = settings.queueLengths.find((length) => length > 0) ?? 0;
  const faults: string[] = [];
  const stores = {
    [ONE_SERVER]: await BenchStores.open({ hasDatabase: true }),
    [CLUSTER]: await BenchStores.openWithCluster(),
  };
  try {
    const turns = await measureMessages(driver, settings, stores, faults);
    const joinTurns = await measureJoins(settings.rounds, waitingCount, stores, faults);
    return {
      rows: createRows(turns, joinTurns, waitingCount),
      faults,
      raw: { turns: Object.fromEntries(turns), joins: Object.fromEntries(joinTurns) },
    };
  } finally {
    for (const ownStores of Object.values(stores)) await ownStores.end();
  }
};

/** @returns the turns of each contender. Adds lost or duplicated messages to `faults`. */
const measureMessages = async (
  driver: Driver,
  settings: Settings,
  stores: Readonly<Record<string, BenchStores>>,
  faults: string[],
): Promise<Map<string, Turn[]>> => {
  const services: Service[] = [];
  const contenders: Contender[] = [];
  const turns = new Map<string, Turn[]>();
  try {
    for (const [name, ownStores] of Object.entries(stores)) {
      logProgress(`  opening ${name}`);
      const service = await Service.start(ownStores, { replicas: 2 });
      services.push(service);
      const [first = '', second = ''] = service.origins;
      const group = await driver.call('openRelay', {
        kind: 'thaw',
        origins: [first, second],
        pairs: settings.pairs,
      });
      const servers = service.replicas.map(({ server }) => server);
      contenders.push({ name, group, servers, stores: ownStores, worker: () => service.worker });
    }
    for (const { name, group } of contenders) {
      // A trial run, whose turns are very short, warms up only for the length of two turns.
      const seconds = Math.min(WARM_UP_SECONDS, settings.seconds * 2);
      const result = await driver.call('runRelay', { group, perSecond: settings.messagesPerSecond, seconds });
      faults.push(...findFaults(`${name}, warming up`, result));
    }
    for (let round = 1; round <= settings.rounds; round += 1) {
      logProgress(`cluster, round ${round} of ${settings.rounds}`);
      for (const contender of orderForRound(contenders, round)) {
        const turn = await measureTurn(driver, contender, settings);
        faults.push(...findFaults(contender.name, turn.result));
        addValue(turns, contender.name, turn);
        logProgress(
          `  ${contender.name}: node ${formatMicros(turn.node)}, redis ${formatMicros(turn.redis)}`,
        );
      }
    }
    return turns;
  } finally {
    for (const { group } of contenders) await driver.call('closeGroup', { group }).catch(() => null);
    await Promise.all(services.map((service) => service.stop()));
  }
};

/** Measures joins without other load, so the services must be stopped. @returns the turns of each contender */
const measureJoins = async (
  rounds: number,
  waitingCount: number,
  stores: Readonly<Record<string, BenchStores>>,
  faults: string[],
): Promise<Map<string, JoinTurn[]>> => {
  const joinTurns = new Map<string, JoinTurn[]>();
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, ownStores] of orderForRound(Object.entries(stores), round)) {
      const joinTurn = await measureJoinTurn(ownStores, waitingCount, faults);
      addValue(joinTurns, name, joinTurn);
      const { joinsPerSecond, redisMicros } = joinTurn;
      logProgress(`  ${name}: ${joinsPerSecond.toFixed(0)} joins/s, redis ${formatMicros(redisMicros)}`);
    }
  }
  return joinTurns;
};

/**
 * Fills the queue with `waitingCount` men. Then men and women join it in turn, and each woman is matched with the man
 * who has waited longest. The connection to Redis has the options of a replica's connection for requests.
 */
const measureJoinTurn = async (
  stores: BenchStores,
  waitingCount: number,
  faults: string[],
): Promise<JoinTurn> => {
  const { connectRedis, waitForFirstConnectionAttempt } = requireBuilt<RedisConnectionModule>(
    'platform/redis/redis-connection.factory',
  );
  const redis = connectRedis(
    { REDIS_URL: stores.redisUrl },
    { enableOfflineQueue: true, commandTimeout: 5_000 },
  );
  try {
    await waitForFirstConnectionAttempt(redis);
    await stores.redis.flushall();
    await stores.redis.zadd(LEASES_KEY, Date.now() + HOUR_MS, BENCH_REPLICA_ID);
    const matchQueue = createMatchQueue(redis);
    await runInParallel(
      waitingCount,
      QUEUE_FILL_CONCURRENCY,
      async (index) => void (await matchQueue.join(index + 1, 'male', 'female')),
    );
    const microsBefore = await stores.readRedisCpuMicros();
    const startedAt = performance.now();
    let matchCount = 0;
    await runInParallel(JOINS_PER_TURN, JOIN_CONCURRENCY, async (index) => {
      const userId = waitingCount + 1 + index;
      const isMan = index % 2 === 0;
      const state = isMan
        ? await matchQueue.join(userId, 'male', 'female')
        : await matchQueue.join(userId, 'female', 'male');
      if (state.kind === 'matched') matchCount += 1;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const redisMicros = (await stores.readRedisCpuMicros()) - microsBefore;
    const womenCount = JOINS_PER_TURN / 2;
    if (matchCount !== womenCount) faults.push(`matching: ${matchCount} of ${womenCount} were matched`);
    return { joinsPerSecond: JOINS_PER_TURN / seconds, redisMicros: redisMicros / JOINS_PER_TURN };
  } finally {
    redis.disconnect();
  }
};

const createMatchQueue = (redis: RedisClient) => {
  const { MatchQueueService } = requireBuilt<MatchQueueModule>(
    'modules/matching/application/match-queue.service',
  );
  // Both are longer than the run, so that no cool-down ends, or may be ignored, during the run.
  const environment = { REMATCH_RELAX_AFTER_S: HOUR_MS / 1_000, REMATCH_COOLDOWN_S: 600 };
  return new MatchQueueService(
    redis,
    environment as ConstructorParameters<typeof MatchQueueService>[1],
    { replicaId: BENCH_REPLICA_ID } as ConstructorParameters<typeof MatchQueueService>[2],
  );
};

const createRows = (
  turns: ReadonlyMap<string, readonly Turn[]>,
  joinTurns: ReadonlyMap<string, readonly JoinTurn[]>,
  waitingCount: number,
): Row[] => {
  const createRow = <Value>(
    label: string,
    values: ReadonlyMap<string, readonly Value[]>,
    selectNumber: (value: Value) => number,
    format: (value: number) => string,
  ): Row => {
    const [ours, theirs] = [CLUSTER, ONE_SERVER].map((name) => (values.get(name) ?? []).map(selectNumber));
    return {
      figure: 'cluster',
      label,
      ours: format(median(ours ?? [])),
      against: ONE_SERVER,
      theirs: format(median(theirs ?? [])),
      ratio: computeRatios(ours ?? [], theirs ?? []),
      gate: '',
      aim: '',
    };
  };
  const formatRate = (value: number): string => `${value.toFixed(0)} /s`;
  const queue = `${waitingCount.toLocaleString('en')} waiting`;
  return [
    createRow(
      'Node CPU per message, both replicas, three primaries',
      turns,
      ({ node }) => node,
      formatMicros,
    ),
    createRow('Redis CPU per message, the three together', turns, ({ redis }) => redis, formatMicros),
    createRow(
      `Joins that the slot of matching carries, ${queue}`,
      joinTurns,
      ({ joinsPerSecond }) => joinsPerSecond,
      formatRate,
    ),
    createRow(`Redis CPU per join, ${queue}`, joinTurns, ({ redisMicros }) => redisMicros, formatMicros),
  ];
};

const addValue = <Value>(map: Map<string, Value[]>, key: string, value: Value): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};
