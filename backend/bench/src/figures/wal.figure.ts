import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { ProcessEventsService } from '../../../src/platform/process-events/process-events.service';
import type { Driver } from '../driver/driver-process';
import { createVisitor, openAuthenticatedSocket, runInParallel } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { computeSpread, type Spread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt, Service } from '../service';
import { logProgress, type Outcome, type Row, type Settings, wait } from './figure';

type ChatLogModule = typeof import('../../../src/platform/hot-log/chat-log.repository');
type OutboxModule = typeof import('../../../src/platform/hot-log/outbox.repository');
type Codec = typeof import('../../../src/modules/random-chat/application/chat-event.codec');
type Event = Parameters<Codec['encodeEvent']>[0]['event'];
type ChatLog = InstanceType<ChatLogModule['ChatLogRepository']>;

const CONTENT = 'x'.repeat(100);
const CHATS = 100;
const SHORT_CHAT = 10;
const LONG_CHAT = 100;
const PRIVATE_MESSAGES_PER_SECOND_OF_SETTING = 60;
/** Only the end of a chat whose cost grows with its messages is above this. */
const MAX_END_RATIO = 1.2;

interface Chat {
  sessionId: string;
  end: { version: number; lastId: string };
}

/**
 * `wal`: bytes that PostgreSQL writes to its log of changes for each message and for the end of a chat. Nothing else
 * uses the database, and no checkpoint happens meanwhile, after which every page would be logged in full.
 */
export const measureWal = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 1 });
  const pool = new Pool({ connectionString: stores.databaseUrl, max: 1 });
  const sockets: JsonWire[] = [];
  const [random, shortEnds, longEnds, privately, bare]: number[][] = [[], [], [], [], []];
  try {
    await quietDatabase(pool);
    const drain = createDrain(stores);
    const sendPrivately = await preparePrivateMessages(service, pool, sockets);
    await pool.query(
      'CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sender_id bigint, content text)',
    );
    const insertBare = () =>
      pool.query('INSERT INTO bare (sender_id, content) VALUES ($1, $2)', [1, CONTENT]);
    const privateMessages = Math.ceil(settings.seconds * PRIVATE_MESSAGES_PER_SECOND_OF_SETTING);
    // Round 0 creates the first pages of every table and index and is not counted.
    for (let round = 0; round <= settings.rounds; round += 1) {
      const measured = {
        random: [] as number[],
        ends: [] as number[],
      };
      for (const messages of [SHORT_CHAT, LONG_CHAT]) {
        const chats: Chat[] = [];
        const wrote = await measureBytes(pool, async () => {
          chats.push(...(await startChats(drain.log, messages)));
          await drain.wait();
        });
        measured.random.push(wrote / (CHATS * messages));
        const wroteEnds = await measureBytes(pool, async () => {
          await runInParallel(CHATS, 8, (index) => endChat(drain.log, chats[index]));
          await drain.wait();
        });
        measured.ends.push(wroteEnds / CHATS);
      }
      const wrotePrivately = await measureBytes(pool, async () => {
        for (let index = 0; index < privateMessages; index += 1) await sendPrivately();
      });
      const wroteBare = await measureBytes(pool, async () => {
        for (let index = 0; index < privateMessages; index += 1) await insertBare();
      });
      if (round === 0) continue;
      random?.push(measured.random[1] ?? NaN);
      shortEnds?.push(measured.ends[0] ?? NaN);
      longEnds?.push(measured.ends[1] ?? NaN);
      privately?.push(wrotePrivately / privateMessages);
      bare?.push(wroteBare / privateMessages);
      logProgress(
        `WAL, round ${round} of ${settings.rounds}: random ${formatBytes(random)}, private ${formatBytes(privately)}, ` +
          `end of a short chat ${formatBytes(shortEnds)}, of a long chat ${formatBytes(longEnds)}`,
      );
    }
  } finally {
    for (const socket of sockets) socket.close();
    await pool.end();
    await service.stop();
    await stores.end();
  }
  return {
    rows: createRows({ random, shortEnds, longEnds, privately, bare }),
    faults: [],
    raw: { random, shortEnds, longEnds, privately, bare },
  };
};

/** Autovacuum and checkpoints would write at times of their own. */
const quietDatabase = async (pool: Pool): Promise<void> => {
  for (const setting of [`autovacuum = off`, `checkpoint_timeout = '1h'`, `max_wal_size = '8GB'`])
    await pool.query(`ALTER SYSTEM SET ${setting}`);
  await pool.query('SELECT pg_reload_conf()');
};

const measureBytes = async (pool: Pool, work: () => Promise<void>): Promise<number> => {
  const readPosition = async (): Promise<number> => {
    const { rows } = await pool.query<{ bytes: string }>(
      `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`,
    );
    return Number(rows[0]?.bytes);
  };
  const before = await readPosition();
  await work();
  return (await readPosition()) - before;
};

/** The hot log, and a wait until a worker has written everything in it to PostgreSQL. */
const createDrain = (stores: BenchStores): { log: ChatLog; wait: () => Promise<void> } => {
  const { ChatLogRepository } = requireBuilt<ChatLogModule>('platform/hot-log/chat-log.repository');
  const { OutboxRepository } = requireBuilt<OutboxModule>('platform/hot-log/outbox.repository');
  const outbox = new OutboxRepository(stores.redis);
  // Wakes no worker: its poll of the outboxes finds large batches.
  const events = { publish: () => undefined } as unknown as ProcessEventsService;
  return {
    log: new ChatLogRepository(stores.redis, events),
    async wait() {
      while ((await outbox.measureBacklog()).length > 0) await wait(10);
    },
  };
};

const encode = (event: unknown): string => {
  const { encodeEvent } = requireBuilt<Codec>('modules/random-chat/application/chat-event.codec');
  return encodeEvent({ eventId: randomUUID(), event: event as Event });
};

const append = async (log: ChatLog, chat: Chat, texts: string[]): Promise<void> => {
  const result = await log.append(chat.sessionId, chat.end, texts);
  if (result.kind !== 'appended') throw new Error(`An append was ${result.kind}`);
  chat.end = { version: chat.end.version + result.ids.length, lastId: result.ids.at(-1) ?? '' };
};

const startChats = async (log: ChatLog, messages: number): Promise<Chat[]> => {
  const participants = [1, 2].map((id) => ({ id, username: `user${id}`, avatar: null }));
  const chats = Array.from({ length: CHATS }, () => ({
    sessionId: randomUUID(),
    end: { version: 0, lastId: '' },
  }));
  await runInParallel(CHATS, 8, async (index) => {
    const chat = chats[index];
    if (!chat) return;
    const started = encode({ type: 'ChatStarted', data: { userIds: [1, 2], participants } });
    const data = { senderId: 1, content: CONTENT, messageType: 'text', replyTo: null, clientId: 'c-1' };
    const sent = Array.from({ length: messages }, () => encode({ type: 'MessageSent', data }));
    await append(log, chat, [started, ...sent]);
  });
  return chats;
};

const endChat = async (log: ChatLog, chat: Chat | undefined): Promise<void> => {
  if (chat) await append(log, chat, [encode({ type: 'ChatEnded', data: { reason: 'skipped', endedBy: 1 } })]);
};

/** @returns sends one message to a friend and waits for its ack. */
const preparePrivateMessages = async (
  service: Service,
  pool: Pool,
  sockets: JsonWire[],
): Promise<() => Promise<unknown>> => {
  const [origin = ''] = service.origins;
  const [ada, bob] = [await createVisitor(origin), await createVisitor(origin)];
  const ids = [ada.userId, bob.userId].sort((one, other) => one - other);
  await pool.query('INSERT INTO friendships (low_id, high_id, created_at) VALUES ($1, $2, now())', ids);
  const socket = await openAuthenticatedSocket(origin, ada);
  sockets.push(socket);
  const message = { senderId: ada.userId, receiverId: bob.userId, content: CONTENT, messageType: 'text' };
  return () => socket.request('send_private_message', { ...message, clientId: randomUUID() });
};

const formatBytes = (values: readonly number[] | undefined): string =>
  `${Math.round(values?.at(-1) ?? NaN)} B`;

const describeSpread = ({ median, minimum, maximum }: Spread): string =>
  `${Math.round(median)} B (${Math.round(minimum)} to ${Math.round(maximum)})`;

const createRows = (measured: Record<string, number[] | undefined>): Row[] => {
  const spread = (name: string): Spread => computeSpread(measured[name] ?? []);
  const endRatio = spread('longEnds').median / spread('shortEnds').median;
  const createRow = (what: string, name: string): Row => ({
    figure: 'wal',
    what,
    ours: describeSpread(spread(name)),
    against: '',
    theirs: '',
    gate: '',
    aim: '',
  });
  return [
    createRow('WAL per message of a random chat, in batches of the worker', 'random'),
    {
      ...createRow('WAL per private message', 'privately'),
      against: 'bare INSERT',
      theirs: describeSpread(spread('bare')),
    },
    {
      ...createRow(`WAL for the end of a chat of ${LONG_CHAT} messages`, 'longEnds'),
      against: `a chat of ${SHORT_CHAT} messages`,
      theirs: describeSpread(spread('shortEnds')),
      ratio: { median: endRatio, minimum: endRatio, maximum: endRatio },
      gate: `≤ ${MAX_END_RATIO}`,
      isReached: endRatio <= MAX_END_RATIO,
    },
  ];
};
