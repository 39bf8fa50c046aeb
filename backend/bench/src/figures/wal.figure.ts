import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { ProcessEventsService } from '../../../src/platform/process-events/process-events.service';
import type { Driver } from '../driver/driver-process';
import { runInParallel } from '../driver/run-in-parallel';
import { createVisitor, openAuthenticatedSocket } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { computeSpread, type Spread } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt, Service } from '../service';
import { logProgress, type Outcome, type Row, type Settings, wait } from './figure';

type ChatLogModule = typeof import('../../../src/platform/hot-log/chat-log.repository');
type OutboxModule = typeof import('../../../src/platform/hot-log/outbox.repository');
type CodecModule = typeof import('../../../src/modules/random-chat/application/chat-event.codec');
type Event = Parameters<CodecModule['encodeEvent']>[0]['event'];
type ChatLog = InstanceType<ChatLogModule['ChatLogRepository']>;

const CONTENT = 'x'.repeat(100);
const CHAT_COUNT = 100;
const APPEND_CONCURRENCY = 8;
const BACKLOG_POLL_MS = 10;
const SHORT_CHAT_MESSAGES = 10;
const LONG_CHAT_MESSAGES = 100;
/** Private messages that a round sends for each second of `settings.seconds`, however long the sending takes. */
const PRIVATE_MESSAGES_PER_ROUND_SECOND = 60;
/**
 * The WAL for the end of a chat must not grow with the chat. This limits the ratio of its bytes for a long chat to its
 * bytes for a short one.
 */
const MAX_END_RATIO = 1.2;

interface Chat {
  sessionId: string;
  /** The last event of the chat's log, which an append names for optimistic concurrency. */
  head: { version: number; lastId: string };
}

/** Bytes of WAL per operation, in each round. */
interface BytesByOperation {
  randomMessage: number[];
  shortChatEnd: number[];
  longChatEnd: number[];
  privateMessage: number[];
  bareInsert: number[];
}

/**
 * `wal`: bytes that PostgreSQL writes to its write-ahead log (WAL) for each message and for the end of a chat. Nothing
 * else uses the database, and no checkpoint happens during the measurement, because PostgreSQL would log every page in
 * full after a checkpoint.
 */
export const measureWal = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 1 });
  const pool = new Pool({ connectionString: stores.databaseUrl, max: 1 });
  let privateSender: PrivateSender | undefined;
  const bytes: BytesByOperation = {
    randomMessage: [],
    shortChatEnd: [],
    longChatEnd: [],
    privateMessage: [],
    bareInsert: [],
  };
  try {
    await preventBackgroundWrites(pool);
    const chatWriter = createChatWriter(stores);
    privateSender = await createPrivateSender(service, pool);
    const { sendMessage } = privateSender;
    await pool.query(
      'CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sender_id bigint, content text)',
    );
    const insertBare = () =>
      pool.query('INSERT INTO bare (sender_id, content) VALUES ($1, $2)', [1, CONTENT]);
    const privateMessageCount = Math.ceil(settings.seconds * PRIVATE_MESSAGES_PER_ROUND_SECOND);
    // Round 0 creates the first pages of every table and index and is not counted.
    for (let round = 0; round <= settings.rounds; round += 1) {
      const shortChats = await measureChats(pool, chatWriter, SHORT_CHAT_MESSAGES);
      const longChats = await measureChats(pool, chatWriter, LONG_CHAT_MESSAGES);
      const privateBytes = await measureBytes(pool, async () => {
        for (let index = 0; index < privateMessageCount; index += 1) await sendMessage();
      });
      const bareBytes = await measureBytes(pool, async () => {
        for (let index = 0; index < privateMessageCount; index += 1) await insertBare();
      });
      if (round === 0) continue;
      // `perMessage` includes a share of the start of the chat, which is smallest in long chats.
      bytes.randomMessage.push(longChats.perMessage);
      bytes.shortChatEnd.push(shortChats.perEnd);
      bytes.longChatEnd.push(longChats.perEnd);
      bytes.privateMessage.push(privateBytes / privateMessageCount);
      bytes.bareInsert.push(bareBytes / privateMessageCount);
      logProgress(
        `WAL, round ${round} of ${settings.rounds}: random ${formatLastBytes(bytes.randomMessage)}, ` +
          `private ${formatLastBytes(bytes.privateMessage)}, ` +
          `end of a short chat ${formatLastBytes(bytes.shortChatEnd)}, ` +
          `of a long chat ${formatLastBytes(bytes.longChatEnd)}`,
      );
    }
  } finally {
    privateSender?.socket.close();
    await pool.end();
    await service.stop();
    await stores.end();
  }
  return { rows: createRows(bytes), faults: [], raw: bytes };
};

/** Switches autovacuum off and delays checkpoints, because both would write to the WAL during a measurement. */
const preventBackgroundWrites = async (pool: Pool): Promise<void> => {
  for (const setting of [`autovacuum = off`, `checkpoint_timeout = '1h'`, `max_wal_size = '8GB'`])
    await pool.query(`ALTER SYSTEM SET ${setting}`);
  await pool.query('SELECT pg_reload_conf()');
};

/**
 * Starts and ends `CHAT_COUNT` chats of `messageCount` messages.
 * @returns bytes of WAL per message, and per end of a chat
 */
const measureChats = async (
  pool: Pool,
  { log, waitUntilPersisted }: ChatWriter,
  messageCount: number,
): Promise<{ perMessage: number; perEnd: number }> => {
  const chats: Chat[] = [];
  const messageBytes = await measureBytes(pool, async () => {
    chats.push(...(await startChats(log, messageCount)));
    await waitUntilPersisted();
  });
  const endBytes = await measureBytes(pool, async () => {
    await runInParallel(CHAT_COUNT, APPEND_CONCURRENCY, (index) => endChat(log, chats[index]));
    await waitUntilPersisted();
  });
  return { perMessage: messageBytes / (CHAT_COUNT * messageCount), perEnd: endBytes / CHAT_COUNT };
};

/** @returns the bytes of WAL that PostgreSQL writes during `work` */
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

interface ChatWriter {
  /** Appends events of chats to Redis, from which the worker moves them to PostgreSQL. */
  log: ChatLog;
  /** Resolves when the worker has written all appended events to PostgreSQL. */
  waitUntilPersisted: () => Promise<void>;
}

const createChatWriter = (stores: BenchStores): ChatWriter => {
  const { ChatLogRepository } = requireBuilt<ChatLogModule>('platform/hot-log/chat-log.repository');
  const { OutboxRepository } = requireBuilt<OutboxModule>('platform/hot-log/outbox.repository');
  const outbox = new OutboxRepository(stores.redis);
  // Appends do not schedule jobs for the worker, so that its periodic poll of the outboxes finds large batches.
  const processEvents = { publish: () => undefined } as unknown as ProcessEventsService;
  return {
    log: new ChatLogRepository(stores.redis, processEvents),
    waitUntilPersisted: async () => {
      while ((await outbox.measureBacklog()).length > 0) await wait(BACKLOG_POLL_MS);
    },
  };
};

const encode = (event: unknown): string => {
  const { encodeEvent } = requireBuilt<CodecModule>('modules/random-chat/application/chat-event.codec');
  return encodeEvent({ eventId: randomUUID(), event: event as Event });
};

const append = async (log: ChatLog, chat: Chat, texts: string[]): Promise<void> => {
  const result = await log.append(chat.sessionId, chat.head, texts);
  if (result.kind !== 'appended') throw new Error(`An append was ${result.kind}`);
  chat.head = { version: chat.head.version + result.ids.length, lastId: result.ids.at(-1) ?? '' };
};

/** Starts `CHAT_COUNT` chats with `messageCount` messages each, and does not end them. */
const startChats = async (log: ChatLog, messageCount: number): Promise<Chat[]> => {
  const participants = [1, 2].map((id) => ({ id, username: `user${id}`, avatar: null }));
  const chats = Array.from({ length: CHAT_COUNT }, () => ({
    sessionId: randomUUID(),
    head: { version: 0, lastId: '' },
  }));
  await runInParallel(CHAT_COUNT, APPEND_CONCURRENCY, async (index) => {
    const chat = chats[index];
    if (!chat) return;
    const startText = encode({ type: 'ChatStarted', data: { userIds: [1, 2], participants } });
    const data = { senderId: 1, content: CONTENT, messageType: 'text', replyTo: null, clientId: 'c-1' };
    const messageTexts = Array.from({ length: messageCount }, () => encode({ type: 'MessageSent', data }));
    await append(log, chat, [startText, ...messageTexts]);
  });
  return chats;
};

const endChat = async (log: ChatLog, chat: Chat | undefined): Promise<void> => {
  if (chat) await append(log, chat, [encode({ type: 'ChatEnded', data: { reason: 'skipped', endedBy: 1 } })]);
};

interface PrivateSender {
  socket: JsonWire;
  /** Sends a private message and waits for the ack. */
  sendMessage: () => Promise<unknown>;
}

/** Signs up two friends, of whom one sends messages to the other. The caller closes the socket. */
const createPrivateSender = async (service: Service, pool: Pool): Promise<PrivateSender> => {
  const [origin = ''] = service.origins;
  const [ada, bob] = [await createVisitor(origin), await createVisitor(origin)];
  // Only friends can exchange private messages. A friendship is stored with the lower user id first.
  const ids = [ada.userId, bob.userId].sort((a, b) => a - b);
  await pool.query('INSERT INTO friendships (low_id, high_id, created_at) VALUES ($1, $2, now())', ids);
  const socket = await openAuthenticatedSocket(origin, ada);
  const message = { senderId: ada.userId, receiverId: bob.userId, content: CONTENT, messageType: 'text' };
  return {
    socket,
    sendMessage: () => socket.request('send_private_message', { ...message, clientId: randomUUID() }),
  };
};

const formatLastBytes = (values: readonly number[]): string => `${Math.round(values.at(-1) ?? NaN)} B`;

const formatSpread = ({ median, minimum, maximum }: Spread): string =>
  `${Math.round(median)} B (${Math.round(minimum)} to ${Math.round(maximum)})`;

const createRows = (bytes: BytesByOperation): Row[] => {
  const endRatio = computeSpread(bytes.longChatEnd).median / computeSpread(bytes.shortChatEnd).median;
  const createRow = (label: string, values: readonly number[]): Row => ({
    figure: 'wal',
    label,
    ours: formatSpread(computeSpread(values)),
    against: '',
    theirs: '',
    gate: '',
    aim: '',
  });
  return [
    createRow('WAL per message of a random chat, in batches of the worker', bytes.randomMessage),
    {
      ...createRow('WAL per private message', bytes.privateMessage),
      against: 'bare INSERT',
      theirs: formatSpread(computeSpread(bytes.bareInsert)),
    },
    {
      ...createRow(`WAL for the end of a chat of ${LONG_CHAT_MESSAGES} messages`, bytes.longChatEnd),
      against: `a chat of ${SHORT_CHAT_MESSAGES} messages`,
      theirs: formatSpread(computeSpread(bytes.shortChatEnd)),
      ratio: { median: endRatio, minimum: endRatio, maximum: endRatio },
      gate: `≤ ${MAX_END_RATIO}`,
      isReached: endRatio <= MAX_END_RATIO,
    },
  ];
};
