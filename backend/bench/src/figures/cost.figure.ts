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

/** CPU time of each kind of process, in µs. */
interface Cpu {
  replicas: number;
  worker: number;
  redis: number;
  postgres: number;
}

const processKinds = ['replicas', 'worker', 'redis', 'postgres'] as const;

/**
 * `cost`: CPU µs of every process for each operation, and the memory of a chat. The tables in docs/capacity.md contain
 * both.
 */
export const measureCost = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  // No cool-down between recent partners: the same few users are matched again and again.
  const env = { REMATCH_COOLDOWN_S: '0' };
  let service = await Service.start(stores, { replicas: 2, env, nodeFlags });
  const postgres = await PostgresMeter.open(stores.databaseUrl);
  const getServers = (): ServerProcess[] => service.replicas.map(({ server }) => server);
  const readCpu = async (): Promise<Cpu> => ({
    replicas: getServers().reduce((sum, server) => sum + server.cpuMicros, 0),
    worker: service.worker?.cpuMicros ?? 0,
    redis: await stores.readRedisCpuMicros(),
    postgres: postgres.cpuMicros,
  });
  /** Ids of the groups of clients in the driver's process. */
  const groupIds: number[] = [];
  const users: User[] = [];
  const rows: Row[] = [];
  const raw: Record<string, Cpu> = {};
  /** CPU µs per millisecond without load, which is subtracted from every later measurement. */
  let restMicrosPerMs: Cpu = { replicas: 0, worker: 0, redis: 0, postgres: 0 };
  /**
   * @param run returns the number of operations
   * @returns CPU per operation, without the CPU that the processes use at rest
   */
  const measureOperations = async (label: string, run: () => Promise<number>): Promise<Cpu> => {
    const [before, startedAt] = [await readCpu(), performance.now()];
    const operationCount = await run();
    await wait(SETTLE_MS);
    const [after, elapsedMs] = [await readCpu(), performance.now() - startedAt];
    // The CPU at rest varies, so the difference may be negative.
    const computePerOperation = (kind: keyof Cpu): number =>
      Math.max(0, (after[kind] - before[kind] - restMicrosPerMs[kind] * elapsedMs) / operationCount);
    const cpu: Cpu = {
      replicas: computePerOperation('replicas'),
      worker: computePerOperation('worker'),
      redis: computePerOperation('redis'),
      postgres: computePerOperation('postgres'),
    };
    raw[label] = cpu;
    const ours = processKinds.map((kind) => `${kind} ${formatMicros(cpu[kind])}`).join(', ');
    rows.push(createRow(label, ours));
    logProgress(`cost, ${label}: ${ours}`);
    return cpu;
  };
  try {
    const [firstOrigin = '', secondOrigin = ''] = service.origins;
    const signUp = async (visitors: number): Promise<number> => {
      const groupId = await driver.call('signUp', { origin: firstOrigin, visitors });
      groupIds.push(groupId);
      return groupId;
    };
    const restPerSecond = await measureOperations(
      'Two replicas and a worker at rest, per second',
      async () => {
        await wait(REST_MS);
        // `measureOperations` waits for SETTLE_MS more.
        return (REST_MS + SETTLE_MS) / 1_000;
      },
    );
    restMicrosPerMs = {
      replicas: restPerSecond.replicas / 1_000,
      worker: restPerSecond.worker / 1_000,
      redis: restPerSecond.redis / 1_000,
      postgres: restPerSecond.postgres / 1_000,
    };
    // A warm-up, which is not measured.
    await signUp(settings.signUps);
    let idleGroupId = 0;
    await measureOperations('Anonymous sign-up', async () => {
      idleGroupId = await signUp(settings.idleSockets);
      return settings.idleSockets;
    });
    await measureOperations('Opening and authenticating a socket', async () => {
      const request = {
        group: idleGroupId,
        kind: 'thaw' as const,
        origin: firstOrigin,
        concurrency: CONCURRENCY,
      };
      return (await driver.call('openSockets', request)).opened;
    });
    await measureOperations('An idle socket, per second', async () => {
      await wait(REST_MS);
      return (settings.idleSockets * (REST_MS + SETTLE_MS)) / 1_000;
    });
    await driver.call('closeSockets', { group: idleGroupId });
    users.push(...(await openUsers([firstOrigin, secondOrigin], USER_COUNT)));
    await holdChats(users, WARM_UP_COUNT);
    // Chats and private messages have no setting of their own.
    const measuredCount = settings.signUps;
    await measureOperations('A random chat: two joins, the match, the skip', () =>
      holdChats(users, measuredCount),
    );
    await makeFriends(stores, users);
    await writeToFriends(users, WARM_UP_COUNT);
    await measureOperations('A private message', () => writeToFriends(users, measuredCount));
    // New processes, because in the old ones the chats would reuse memory that earlier operations have freed.
    await service.stop();
    service = await Service.start(stores, { replicas: 2, env, nodeFlags });
    const { pairs, messagesPerSecond: perSecond, seconds } = settings;
    const origins: readonly [string, string] = [service.origins[0] ?? '', service.origins[1] ?? ''];
    const openChats = async (count: number): Promise<number> => {
      const groupId = await driver.call('openRelay', { kind: 'thaw', origins, pairs: count });
      groupIds.push(groupId);
      return groupId;
    };
    const sendMessages = async (groupId: number): Promise<number> =>
      (await driver.call('runRelay', { group: groupId, perSecond, seconds })).sent;
    await sendMessages(await openChats(WARM_UP_COUNT));
    const memoryBefore = await readMemory(getServers(), stores);
    const chatGroupId = await openChats(pairs);
    const memoryWithChats = await readMemory(getServers(), stores);
    await sendMessages(chatGroupId);
    const memoryWithMessages = await readMemory(getServers(), stores);
    const rate = perSecond.toLocaleString('en');
    const messageLabel = `A random message of ${CONTENT_BYTES} bytes, ${rate} a second`;
    await measureOperations(messageLabel, () => sendMessages(chatGroupId));
    rows.push(
      createMemoryRow('A live chat with its two sockets', memoryBefore, memoryWithChats, pairs),
      createMemoryRow('A message of a live chat', memoryWithChats, memoryWithMessages, perSecond * seconds),
    );
    return { rows, faults: [], raw };
  } finally {
    for (const group of groupIds) await driver.call('closeGroup', { group }).catch(() => null);
    for (const { wire } of users) wire.close();
    await postgres.end();
    await service.stop();
    await stores.end();
  }
};

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
