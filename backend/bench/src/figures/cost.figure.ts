import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Pool } from 'pg';
import type { Driver } from '../driver/driver-process';
import { createVisitor, openAuthenticatedSocket, runInParallel } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { PostgresMeter } from '../measure/postgres';
import type { ServerProcess } from '../measure/server-process';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { formatMicros, logProgress, type Outcome, type Row, type Settings, wait } from './figure';

/** Work that follows the last answer, such as persisting the history, ends within this time. */
const SETTLE_MS = 1_500;
/** How long the processes are measured without load. */
const REST_MS = 6_000;
const CONCURRENCY = 16;
const USERS = 20;
/** Chats and private messages before those that are measured. */
const WARM_UP = 50;
const CONTENT = 'x'.repeat(100);
/** A forced garbage collection and what it triggers end within this time. */
const COLLECTED_MS = 1_500;
const nodeFlags = ['--expose-gc', '--require', path.join(__dirname, '../collect-on-signal.js')];

/** CPU time of each kind of process, in µs. */
interface Cpu {
  replicas: number;
  worker: number;
  redis: number;
  postgres: number;
}

const kinds = ['replicas', 'worker', 'redis', 'postgres'] as const;

/**
 * `cost`: CPU µs of every process for each operation, and the memory of a chat, from which docs/capacity.md is
 * computed.
 */
export const measureCost = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const env = { REMATCH_COOLDOWN_S: '0', REMATCH_RELAX_AFTER_S: '0' };
  let service = await Service.start(stores, { replicas: 2, env, nodeFlags });
  const postgres = await PostgresMeter.open(stores.databaseUrl);
  const getServers = (): ServerProcess[] => service.replicas.map(({ server }) => server);
  const readCpu = async (): Promise<Cpu> => ({
    replicas: getServers().reduce((sum, server) => sum + server.cpuMicros, 0),
    worker: service.worker?.cpuMicros ?? 0,
    redis: await stores.readRedisCpuMicros(),
    postgres: postgres.cpuMicros,
  });
  const groups: number[] = [];
  const users: User[] = [];
  const rows: Row[] = [];
  const raw: Record<string, Cpu> = {};
  /** CPU-µs per millisecond without load, which is subtracted from every later measurement. */
  let atRestPerMs: Cpu = { replicas: 0, worker: 0, redis: 0, postgres: 0 };
  /**
   * @param run returns the number of operations.
   * @returns CPU per operation, without what the processes use at rest.
   */
  const measureOperations = async (what: string, run: () => Promise<number>): Promise<Cpu> => {
    const [before, startedAt] = [await readCpu(), performance.now()];
    const operations = await run();
    await wait(SETTLE_MS);
    const [after, elapsedMs] = [await readCpu(), performance.now() - startedAt];
    const computePerOperation = (kind: keyof Cpu): number =>
      Math.max(0, (after[kind] - before[kind] - atRestPerMs[kind] * elapsedMs) / operations);
    const [replicas, worker, redis, database] = kinds.map(computePerOperation);
    const cpu = { replicas, worker, redis, postgres: database } as Cpu;
    raw[what] = cpu;
    const ours = kinds.map((kind) => `${kind} ${formatMicros(cpu[kind])}`).join(', ');
    rows.push({ figure: 'cost', what, ours, against: '', theirs: '', gate: '', aim: '' });
    logProgress(`cost, ${what}: ${ours}`);
    return cpu;
  };
  try {
    const [first = '', second = ''] = service.origins;
    const atRest = await measureOperations('Two replicas and a worker at rest, per second', async () => {
      await wait(REST_MS);
      return (REST_MS + SETTLE_MS) / 1_000;
    });
    // Warms up; not measured.
    await signUp(driver, groups, first, settings.signUps);
    atRestPerMs = {
      replicas: atRest.replicas / 1_000,
      worker: atRest.worker / 1_000,
      redis: atRest.redis / 1_000,
      postgres: atRest.postgres / 1_000,
    };
    await measureOperations('Anonymous sign-up', () => signUp(driver, groups, first, settings.idleSockets));
    const [group = 0] = groups;
    await measureOperations('Opening and authenticating a socket', async () => {
      const request = { group, kind: 'thaw' as const, origin: first, concurrency: CONCURRENCY };
      return (await driver.call('openSockets', request)).opened;
    });
    await measureOperations('An idle socket, per second', async () => {
      await wait(REST_MS);
      return (settings.idleSockets * (REST_MS + SETTLE_MS)) / 1_000;
    });
    await driver.call('closeSockets', { group });
    users.push(...(await openUsers([first, second], USERS)));
    await holdChats(users, WARM_UP);
    await measureOperations('A random chat: two joins, the match, the skip', () =>
      holdChats(users, settings.signUps),
    );
    await makeFriends(stores, users);
    await writeToFriends(users, WARM_UP);
    await measureOperations('A private message', () => writeToFriends(users, settings.signUps));
    // Fresh processes: memory that others have freed would hide what the chats need.
    await service.stop();
    service = await Service.start(stores, { replicas: 2, env, nodeFlags });
    const { pairs, messagesPerSecond: perSecond, seconds } = settings;
    const origins: readonly [string, string] = [service.origins[0] ?? '', service.origins[1] ?? ''];
    const openChats = async (count: number): Promise<number> => {
      const relay = await driver.call('openRelay', { contender: 'thaw', origins, pairs: count });
      groups.push(relay);
      return relay;
    };
    const sendMessages = async (relay: number): Promise<number> =>
      (await driver.call('runRelay', { group: relay, perSecond, seconds })).sent;
    await sendMessages(await openChats(WARM_UP));
    const memoryBefore = await readMemory(getServers(), stores);
    const relay = await openChats(pairs);
    const memoryOfChats = await readMemory(getServers(), stores);
    await sendMessages(relay);
    const memoryOfMessages = await readMemory(getServers(), stores);
    const message = `A random message of 100 bytes, ${perSecond.toLocaleString('en')} a second`;
    await measureOperations(message, () => sendMessages(relay));
    rows.push(
      createMemoryRow('A live chat with its two sockets', memoryBefore, memoryOfChats, pairs),
      createMemoryRow('A message of a live chat', memoryOfChats, memoryOfMessages, perSecond * seconds),
    );
    return { rows, faults: [], raw };
  } finally {
    for (const group of groups) await driver.call('closeGroup', { group }).catch(() => null);
    for (const { wire } of users) wire.close();
    await postgres.end();
    await service.stop();
    await stores.end();
  }
};

const signUp = async (
  driver: Driver,
  groups: number[],
  origin: string,
  visitors: number,
): Promise<number> => {
  groups.unshift(await driver.call('signUp', { origin, visitors }));
  return visitors;
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
    const visitor = await createVisitor(origin, index % 4 < 2 ? 'female' : 'male');
    users[index] = { userId: visitor.userId, wire: await openAuthenticatedSocket(origin, visitor) };
  });
  return users;
};

/**
 * All users search, are matched and skip, at the same time, until there were `chats` chats.
 * @returns the number of chats
 */
const holdChats = async (users: readonly User[], chats: number): Promise<number> => {
  const rounds = Math.ceil((2 * chats) / users.length);
  for (let round = 0; round < rounds; round += 1) {
    const matches = users.map(({ wire }) => wire.waitForFrame(({ event }) => event === 'chat_matched'));
    await Promise.all(users.map(({ wire }) => wire.request('join_queue', {})));
    const frames = await Promise.all(matches);
    const ends = users.map(async ({ userId, wire }, index) => {
      const { sessionId, partnerId } = frames[index]?.data as { sessionId: string; partnerId: number };
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

/** The first of each two friends writes to the second. @returns the number of messages */
const writeToFriends = async (users: readonly User[], messages: number): Promise<number> => {
  let sent = 0;
  await runInParallel(users.length / 2, users.length, async (pair) => {
    const [writer, friend] = [users[2 * pair], users[2 * pair + 1]];
    if (!writer || !friend) return;
    const message = {
      senderId: writer.userId,
      receiverId: friend.userId,
      content: CONTENT,
      messageType: 'text',
    };
    while (sent < messages) {
      sent += 1;
      await writer.wire.request('send_private_message', { ...message, clientId: randomUUID() });
    }
  });
  return sent;
};

/** Live memory of all replicas, and memory of Redis, in bytes. */
interface Memory {
  replicas: number;
  redis: number;
}

const readMemory = async (servers: readonly ServerProcess[], stores: BenchStores): Promise<Memory> => {
  // Two collections: the first runs finalizers, whose objects the second one frees.
  for (let times = 0; times < 2; times += 1) {
    for (const server of servers) server.sendSignal('SIGUSR2');
    await wait(COLLECTED_MS);
  }
  const info = await stores.redis.info('memory');
  return {
    replicas: servers.reduce((sum, { ownMemoryBytes }) => sum + ownMemoryBytes, 0),
    redis: Number(/^used_memory:(\d+)/m.exec(info)?.[1]),
  };
};

const createMemoryRow = (what: string, before: Memory, after: Memory, count: number): Row => {
  const formatKilobytes = (store: keyof Memory): string =>
    ((after[store] - before[store]) / count / 1_024).toFixed(2);
  const ours = `replicas ${formatKilobytes('replicas')} KB, redis ${formatKilobytes('redis')} KB`;
  return { figure: 'cost', what: `Memory: ${what}`, ours, against: '', theirs: '', gate: '', aim: '' };
};
