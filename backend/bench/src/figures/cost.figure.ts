import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Pool } from 'pg';
import type { Driver } from '../driver/driver-process';
import { CONTENT_BYTES } from '../driver/relay-load';
import { runInParallel } from '../driver/run-in-parallel';
import { createVisitor, openAuthenticatedSocket } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { PostgresMeter } from '../measure/postgres';
import type { ServerProcess } from '../measure/server-process';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { formatMicros, logProgress, type Outcome, type Row, type Settings, wait } from './figure';

/** Wait after the last response, so that the work that follows it (persisting the history, for example) is measured. */
const SETTLE_MS = 1_500;
/** Time for which the processes are measured without load. */
const REST_MS = 6_000;
const CONCURRENCY = 16;
const USER_COUNT = 20;
/** Number of chats, or of private messages, before those that are measured. */
const WARM_UP_COUNT = 50;
const CONTENT = 'x'.repeat(CONTENT_BYTES);
/** Wait after a forced garbage collection, so that it, and the work that it triggers, has ended. */
const COLLECTION_SETTLE_MS = 1_500;
/** With these flags, SIGUSR2 forces a garbage collection. */
const nodeFlags = ['--expose-gc', '--require', path.join(__dirname, '../collect-on-signal.js')];

/** The length of a measurement without operations: after `REST_MS`, `CpuMeter` waits for `SETTLE_MS` more. */
const REST_SECONDS = (REST_MS + SETTLE_MS) / 1_000;

/** What the measurements share. */
interface CostRun {
  driver: Driver;
  settings: Settings;
  stores: BenchStores;
  meter: CpuMeter;
  /** Ids of the groups of clients in the driver's process, which are closed at the end. */
  groupIds: number[];
}

/**
 * `cost`: CPU µs of every process for each operation, and the memory of a chat. The tables in docs/capacity.md contain
 * both.
 */
export const measureCost = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  // No cool-down between recent partners: the same few users are matched again and again.
  const options = { replicas: 2, env: { REMATCH_COOLDOWN_S: '0' }, nodeFlags };
  let service = await Service.start(stores, options);
  const postgres = await PostgresMeter.open(stores.databaseUrl);
  const meter = new CpuMeter(async () => ({
    replicas: service.replicas.reduce((sum, { server }) => sum + server.cpuMicros, 0),
    worker: service.worker?.cpuMicros ?? 0,
    redis: await stores.readRedisCpuMicros(),
    postgres: postgres.cpuMicros,
  }));
  const run: CostRun = { driver, settings, stores, meter, groupIds: [] };
  try {
    await meter.measureRest();
    await measureSockets(run, service.origins[0] ?? '');
    await measureChatsAndPrivateMessages(run, service.origins);
    // New processes, because in the old ones the chats would reuse memory that earlier operations have freed.
    await service.stop();
    service = await Service.start(stores, options);
    const memoryRows = await measureLiveChats(run, service);
    return { rows: [...meter.rows, ...memoryRows], faults: [], raw: meter.raw };
  } finally {
    for (const group of run.groupIds) await driver.call('closeGroup', { group }).catch(() => null);
    await postgres.end();
    await service.stop();
    await stores.end();
  }
};

/** Measures sign-ups, and sockets that send nothing. */
const measureSockets = async (
  { driver, settings, meter, groupIds }: CostRun,
  origin: string,
): Promise<void> => {
  const signUp = async (visitors: number): Promise<number> => {
    const groupId = await driver.call('signUp', { origin, visitors });
    groupIds.push(groupId);
    return groupId;
  };
  // A warm-up, which is not measured.
  await signUp(settings.signUps);
  let idleGroupId = 0;
  await meter.measure('Anonymous sign-up', async () => {
    idleGroupId = await signUp(settings.idleSockets);
    return settings.idleSockets;
  });
  await meter.measure('Opening and authenticating a socket', async () => {
    const request = { group: idleGroupId, kind: 'thaw' as const, origin, concurrency: CONCURRENCY };
    return (await driver.call('openSockets', request)).opened;
  });
  await meter.measure('An idle socket, per second', async () => {
    await wait(REST_MS);
    return settings.idleSockets * REST_SECONDS;
  });
  await driver.call('closeSockets', { group: idleGroupId });
};

/** Measures short random chats without messages, and private messages, of a few users. */
const measureChatsAndPrivateMessages = async (
  { settings, stores, meter }: CostRun,
  origins: readonly string[],
): Promise<void> => {
  // Chats and private messages have no setting of their own.
  const measuredCount = settings.signUps;
  const users = await openUsers(origins, USER_COUNT);
  try {
    await holdChats(users, WARM_UP_COUNT);
    await meter.measure('A random chat: two joins, the match, the skip', () =>
      holdChats(users, measuredCount),
    );
    await makeFriends(stores, users);
    await writeToFriends(users, WARM_UP_COUNT);
    await meter.measure('A private message', () => writeToFriends(users, measuredCount));
  } finally {
    for (const { wire } of users) wire.close();
  }
};

/**
 * Measures messages of live chats, and the memory that chats and messages use.
 * @returns the rows about the memory
 */
const measureLiveChats = async (
  { driver, settings, stores, meter, groupIds }: CostRun,
  service: Service,
): Promise<Row[]> => {
  const { pairs, messagesPerSecond: perSecond, seconds } = settings;
  const servers = service.replicas.map(({ server }) => server);
  const origins: readonly [string, string] = [service.origins[0] ?? '', service.origins[1] ?? ''];
  const openChats = async (count: number): Promise<number> => {
    const groupId = await driver.call('openRelay', { kind: 'thaw', origins, pairs: count });
    groupIds.push(groupId);
    return groupId;
  };
  const sendMessages = async (groupId: number): Promise<number> =>
    (await driver.call('runRelay', { group: groupId, perSecond, seconds })).sent;
  await sendMessages(await openChats(WARM_UP_COUNT));
  const memoryBefore = await readMemory(servers, stores);
  const chatGroupId = await openChats(pairs);
  const memoryWithChats = await readMemory(servers, stores);
  await sendMessages(chatGroupId);
  const memoryWithMessages = await readMemory(servers, stores);
  const rate = perSecond.toLocaleString('en');
  const messageLabel = `A random message of ${CONTENT_BYTES} bytes, ${rate} a second`;
  await meter.measure(messageLabel, () => sendMessages(chatGroupId));
  return [
    createMemoryRow('A live chat with its two sockets', memoryBefore, memoryWithChats, pairs),
    createMemoryRow('A message of a live chat', memoryWithChats, memoryWithMessages, perSecond * seconds),
  ];
};

/** CPU time of each kind of process, in µs. */
interface Cpu {
  replicas: number;
  worker: number;
  redis: number;
  postgres: number;
}

const processKinds = ['replicas', 'worker', 'redis', 'postgres'] as const;

const computeCpu = (compute: (kind: keyof Cpu) => number): Cpu => ({
  replicas: compute('replicas'),
  worker: compute('worker'),
  redis: compute('redis'),
  postgres: compute('postgres'),
});

/** Measures the CPU time of operations, and creates a row for each kind of operation. */
class CpuMeter {
  readonly rows: Row[] = [];
  readonly raw: Record<string, Cpu> = {};
  /** CPU µs per millisecond without load, which is subtracted from every later measurement. */
  private restMicrosPerMs: Cpu = computeCpu(() => 0);

  /** @param readCpu reads the CPU time of the processes so far */
  constructor(private readonly readCpu: () => Promise<Cpu>) {}

  /** Measures the processes without load. Call this before any other measurement. */
  async measureRest(): Promise<void> {
    const restPerSecond = await this.measure('Two replicas and a worker at rest, per second', async () => {
      await wait(REST_MS);
      return REST_SECONDS;
    });
    this.restMicrosPerMs = computeCpu((kind) => restPerSecond[kind] / 1_000);
  }

  /**
   * @param run returns the number of operations
   * @returns CPU per operation, without the CPU that the processes use at rest
   */
  async measure(label: string, run: () => Promise<number>): Promise<Cpu> {
    const [before, startedAt] = [await this.readCpu(), performance.now()];
    const operationCount = await run();
    await wait(SETTLE_MS);
    const [after, elapsedMs] = [await this.readCpu(), performance.now() - startedAt];
    const cpu = computeCpu((kind) => {
      const micros = after[kind] - before[kind] - this.restMicrosPerMs[kind] * elapsedMs;
      // The CPU at rest varies, so the difference may be negative.
      return Math.max(0, micros / operationCount);
    });
    this.raw[label] = cpu;
    const ours = processKinds.map((kind) => `${kind} ${formatMicros(cpu[kind])}`).join(', ');
    this.rows.push(createRow(label, ours));
    logProgress(`cost, ${label}: ${ours}`);
    return cpu;
  }
}

interface User {
  userId: number;
  wire: JsonWire;
}

/** Opens sockets of new users, on the two replicas in turn. */
const openUsers = async (origins: readonly string[], count: number): Promise<User[]> => {
  const users: User[] = [];
  await runInParallel(count, CONCURRENCY, async (index) => {
    const origin = origins[index % origins.length] ?? '';
    // The replica changes with each user and the gender after every two, so each replica gets both genders.
    const visitor = await createVisitor(origin, index % 4 < 2 ? 'female' : 'male');
    users[index] = { userId: visitor.userId, wire: await openAuthenticatedSocket(origin, visitor) };
  });
  return users;
};

/**
 * Holds at least `minimum` chats: all users search at the same time and are matched, and one user of each chat skips.
 * @returns the number of chats
 */
const holdChats = async (users: readonly User[], minimum: number): Promise<number> => {
  const rounds = Math.ceil((2 * minimum) / users.length);
  for (let round = 0; round < rounds; round += 1) {
    const matches = users.map(({ wire }) => wire.waitForFrame(({ event }) => event === 'chat_matched'));
    await Promise.all(users.map(({ wire }) => wire.request('join_queue', {})));
    const frames = await Promise.all(matches);
    const ends = users.map(async ({ userId, wire }, index) => {
      const { sessionId, partnerId } = frames[index]?.data as { sessionId: string; partnerId: number };
      // Of the two partners, the one with the lower id skips.
      if (userId < partnerId) await wire.request('skip_chat', { sessionId });
      else await wire.waitForFrame(({ event }) => event === 'chat_skipped');
    });
    await Promise.all(ends);
  }
  return (rounds * users.length) / 2;
};

/** Makes the users friends in pairs: the first with the second, and so on. */
const makeFriends = async (stores: BenchStores, users: readonly User[]): Promise<void> => {
  const pool = new Pool({ connectionString: stores.databaseUrl, max: 1 });
  for (let index = 0; index + 1 < users.length; index += 2) {
    const ids = [users[index]?.userId ?? 0, users[index + 1]?.userId ?? 0].sort(
      (first, second) => first - second,
    );
    await pool.query('INSERT INTO friendships (low_id, high_id, created_at) VALUES ($1, $2, now())', ids);
  }
  await pool.end();
};

/**
 * Sends at least `minimum` private messages, from the first user of each pair of friends to the second.
 * @returns the number of messages
 */
const writeToFriends = async (users: readonly User[], minimum: number): Promise<number> => {
  let sentCount = 0;
  await runInParallel(users.length / 2, users.length, async (pairIndex) => {
    const [writer, friend] = [users[2 * pairIndex], users[2 * pairIndex + 1]];
    if (!writer || !friend) return;
    const message = {
      senderId: writer.userId,
      receiverId: friend.userId,
      content: CONTENT,
      messageType: 'text',
    };
    while (sentCount < minimum) {
      sentCount += 1;
      await writer.wire.request('send_private_message', { ...message, clientId: randomUUID() });
    }
  });
  return sentCount;
};

/** Live memory of all replicas, and memory of Redis, in bytes. */
interface Memory {
  replicas: number;
  redis: number;
}

const readMemory = async (servers: readonly ServerProcess[], stores: BenchStores): Promise<Memory> => {
  // The first garbage collection runs finalizers; the second one frees the objects that these have released.
  for (let times = 0; times < 2; times += 1) {
    for (const server of servers) server.sendSignal('SIGUSR2');
    await wait(COLLECTION_SETTLE_MS);
  }
  const info = await stores.redis.info('memory');
  return {
    replicas: servers.reduce((sum, { anonymousMemoryBytes }) => sum + anonymousMemoryBytes, 0),
    redis: Number(/^used_memory:(\d+)/m.exec(info)?.[1]),
  };
};

const createMemoryRow = (label: string, before: Memory, after: Memory, count: number): Row => {
  const formatKilobytes = (store: keyof Memory): string =>
    ((after[store] - before[store]) / count / 1_024).toFixed(2);
  const ours = `replicas ${formatKilobytes('replicas')} KB, redis ${formatKilobytes('redis')} KB`;
  return createRow(`Memory: ${label}`, ours);
};

/** Creates a row without a comparison and without a gate. */
const createRow = (label: string, ours: string): Row => ({
  figure: 'cost',
  label,
  ours,
  against: '',
  theirs: '',
  gate: '',
  aim: '',
});
