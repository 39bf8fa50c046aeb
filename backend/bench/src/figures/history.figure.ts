import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Pool } from 'pg';
import type {
  Participant,
  RandomChatEvent,
} from '../../../src/modules/random-chat/domain/random-chat.events';
import type { StreamEnd } from '../../../src/platform/hot-log/chat-log.repository';
import type { ProcessEventsService } from '../../../src/platform/process-events/process-events.service';
import type { Environment } from '../../../src/config/environment.config';
import type { Driver } from '../driver/driver-process';
import { sendAtRate } from '../driver/constant-rate';
import { runInParallel } from '../driver/run-in-parallel';
import { median, percentile, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { requireBuilt, Service } from '../service';
import { type Outcome, type Row, logProgress, type Settings, wait } from './figure';

type ChatLogModule = typeof import('../../../src/platform/hot-log/chat-log.repository');
type ChatLog = InstanceType<ChatLogModule['ChatLogRepository']>;
type OutboxModule = typeof import('../../../src/platform/hot-log/outbox.repository');
type CodecModule = typeof import('../../../src/modules/random-chat/application/chat-event.codec');
type JobQueueModule = typeof import('../../../src/platform/queue/job-queue.service');
type SchedulerModule = typeof import('../../../src/modules/random-chat/application/outbox-scheduler.service');

const CHATS = 200;
const APPEND_CONCURRENCY = 8;
const EVENTS_PER_APPEND = 50;
const BACKLOG_POLL_MS = 10;
const LAG_MESSAGES_PER_SECOND = 1_000;
const LAG_SECONDS = 10;
const MAX_P99_LAG_MS = 2_000;
/** Gate: the worker is at least this many times as fast as one job for each event. */
const MIN_RATIO_TO_JOB_PER_EVENT = 5;
/** Longer than the lag may be. A row that is still missing after this time counts as a fault. */
const LAG_SETTLE_MS = 3_000;
const MAX_ROUNDS = 3;
/** One job for each event is slow, and its rate does not depend on the number of rows. */
const MAX_JOB_PER_EVENT_ROWS = 5_000;
/** The head of a stream without entries. An append names the head that it expects, for optimistic concurrency. */
const EMPTY_HEAD: StreamEnd = { version: 0, lastId: '' };

/** What all measurements use. */
interface Bench {
  stores: BenchStores;
  service: Service;
  pool: Pool;
  faults: string[];
}

interface Results {
  /** Rows per second in each round, by the worker and by the two baselines. */
  ours: number[];
  jobPerEvent: number[];
  insertSelect: number[];
  /** Percentiles of the lag in ms. */
  p50: number;
  p99: number;
}

/**
 * P9: events that one worker persists per second, from the outboxes in Redis to PostgreSQL, and the time until an event
 * is persisted (p50 and p99). Compared with one BullMQ job and one INSERT for each event, and with a single INSERT …
 * SELECT from `generate_series`.
 *
 * A replica appends the events of a chat to a log in Redis and, in the same call, to an outbox, from which a worker
 * moves them to PostgreSQL.
 */
export const measureHistory = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 0 });
  // The role of the service may have a statement timeout, which bulk statements would exceed.
  const pool = new Pool({ connectionString: stores.databaseUrl, options: '-c statement_timeout=0' });
  const rounds = Math.min(MAX_ROUNDS, settings.rounds);
  const ours: number[] = [];
  const jobPerEvent: number[] = [];
  const insertSelect: number[] = [];
  const faults: string[] = [];
  const bench: Bench = { stores, service, pool, faults };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      ours.push(await measureDrainRate(bench, settings.historyRows));
      jobPerEvent.push(
        await measureJobPerEventRate(stores, Math.min(MAX_JOB_PER_EVENT_ROWS, settings.historyRows)),
      );
      insertSelect.push(await measureInsertSelectRate(pool, settings.historyRows));
      const rates = [ours, jobPerEvent, insertSelect].map((values) => formatRate(values.at(-1) ?? 0));
      logProgress(`history, round ${round} of ${rounds}: ${rates.join(', ')}`);
    }
    const lagsMs = await measureLagsMs(bench);
    const [p50, p99] = [percentile(lagsMs, 0.5), percentile(lagsMs, 0.99)];
    const results: Results = { ours, jobPerEvent, insertSelect, p50, p99 };
    return { rows: createRows(results), faults, raw: results };
  } finally {
    await pool.end();
    await service.stop();
    await stores.end();
  }
};

/** Fills the outboxes while no worker runs, then starts one to drain them. @returns rows per second */
const measureDrainRate = async (
  { stores, service, pool, faults }: Bench,
  eventCount: number,
): Promise<number> => {
  await service.stopWorker();
  const countBefore = await countEvents(pool);
  const { OutboxRepository } = requireBuilt<OutboxModule>('platform/hot-log/outbox.repository');
  const outbox = new OutboxRepository(stores.redis);
  const appendedCount = await appendChats(stores, eventCount / CHATS);
  const measureLength = async (): Promise<number> => (await outbox.measureBacklog()).length;
  const backlogLength = await measureLength();
  await service.startWorker();
  // The time counts from the first event that leaves the outboxes, so that the start of the worker is not measured.
  while ((await measureLength()) === backlogLength) await wait(BACKLOG_POLL_MS);
  const startedAt = performance.now();
  while ((await measureLength()) > 0) await wait(BACKLOG_POLL_MS);
  const seconds = (performance.now() - startedAt) / 1_000;
  const rowCount = (await countEvents(pool)) - countBefore;
  if (rowCount !== appendedCount)
    faults.push(`history: ${appendedCount} events went in, ${rowCount} rows came out`);
  return backlogLength / seconds;
};

/** Appends `CHATS` chats of `eventsPerChat` events each. @returns the number of all events */
const appendChats = async (stores: BenchStores, eventsPerChat: number): Promise<number> => {
  const { ChatLogRepository } = requireBuilt<ChatLogModule>('platform/hot-log/chat-log.repository');
  const log = new ChatLogRepository(stores.redis, {
    publish: () => undefined, // wakes no worker
  } as unknown as ProcessEventsService);
  let appendedCount = 0;
  await runInParallel(CHATS, APPEND_CONCURRENCY, async () => {
    const sessionId = randomUUID();
    const texts = [encodeChatStart()];
    while (texts.length < eventsPerChat) texts.push(encodeMessage());
    let head = EMPTY_HEAD;
    for (let start = 0; start < texts.length; start += EVENTS_PER_APPEND) {
      const result = await log.append(sessionId, head, texts.slice(start, start + EVENTS_PER_APPEND));
      if (result.kind !== 'appended') throw new Error(`An append was ${result.kind}`);
      head = moveHead(head, result.ids);
    }
    appendedCount += texts.length;
  });
  return appendedCount;
};

/** Returns the head after entries with these ids were appended. */
const moveHead = ({ version }: StreamEnd, ids: readonly string[]): StreamEnd => ({
  version: version + ids.length,
  lastId: ids.at(-1) ?? '',
});

/** Encodes an event as an entry of the log. */
const encode = (event: RandomChatEvent): string => {
  const { encodeEvent } = requireBuilt<CodecModule>('modules/random-chat/application/chat-event.codec');
  return encodeEvent({ eventId: randomUUID(), event });
};

const createParticipant = (id: number): Participant => ({ id, username: `user${id}`, avatar: null });

const encodeChatStart = (): string =>
  encode({
    type: 'ChatStarted',
    data: { userIds: [1, 2], participants: [createParticipant(1), createParticipant(2)] },
  });

const encodeMessage = (): string =>
  encode({
    type: 'MessageSent',
    data: { senderId: 1, content: 'x'.repeat(100), messageType: 'text', replyTo: null, clientId: 'c-1' },
  });

const countEvents = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM events');
  return Number(rows[0]?.count);
};

/** Persists each event with one BullMQ job and one INSERT, in a separate process. @returns rows per second */
const measureJobPerEventRate = (stores: BenchStores, rowCount: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { databaseUrl, redisUrl } = stores;
    const child = fork(path.join(__dirname, '../baselines/job-per-event-history.js'), {
      env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ROWS: String(rowCount) },
    });
    child.once('message', ({ rowsPerSecond }: { rowsPerSecond: number }) => resolve(rowsPerSecond));
    child.once('exit', () => reject(new Error('The history with a job for each event failed')));
  });

/**
 * Inserts rows that PostgreSQL generates with one INSERT … SELECT: the highest rate at which it can store them.
 * @returns rows per second
 */
const measureInsertSelectRate = async (pool: Pool, rowCount: number): Promise<number> => {
  await pool.query(
    'DROP TABLE IF EXISTS insert_select_events; CREATE TABLE insert_select_events (LIKE events INCLUDING ALL)',
  );
  const startedAt = performance.now();
  await pool.query(
    `INSERT INTO insert_select_events (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
     SELECT 'chat-' || n % $2::int, n, gen_random_uuid(), 'MessageSent', 1, jsonb_build_object('content', repeat('x', 100)), '{}', now()
     FROM generate_series(1, $1::int) n`,
    [rowCount, CHATS],
  );
  return rowCount / ((performance.now() - startedAt) / 1_000);
};

/**
 * Measures the time from each event to its row in PostgreSQL, at a constant rate. The worker that the last
 * `measureDrainRate` started is still running.
 */
const measureLagsMs = async ({ stores, pool, faults }: Bench): Promise<number[]> => {
  const { log, close } = openReplicaLog(stores);
  const count = LAG_MESSAGES_PER_SECOND * LAG_SECONDS;
  const startedAt = new Date();
  await appendAtConstantRate(log, count);
  await wait(LAG_SETTLE_MS);
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT extract(epoch FROM recorded_at - occurred_at)::float * 1000 AS ms FROM events WHERE occurred_at >= $1`,
    [startedAt],
  );
  if (rows.length !== count) faults.push(`history: ${count} messages went in, ${rows.length} rows came out`);
  await close();
  return rows.map(({ ms }) => ms);
};

/** Opens a log whose appends schedule jobs for the worker, as the appends of a replica do. */
const openReplicaLog = (stores: BenchStores): { log: ChatLog; close: () => Promise<void> } => {
  const { ChatLogRepository } = requireBuilt<ChatLogModule>('platform/hot-log/chat-log.repository');
  const { JobQueueService } = requireBuilt<JobQueueModule>('platform/queue/job-queue.service');
  const { OutboxSchedulerService } = requireBuilt<SchedulerModule>(
    'modules/random-chat/application/outbox-scheduler.service',
  );
  const jobs = new JobQueueService({ REDIS_URL: stores.redisUrl } as Environment);
  const scheduler = new OutboxSchedulerService(jobs);
  const processEvents: Pick<ProcessEventsService, 'publish'> = {
    // `append` publishes only `OutboxBecameNonEmpty`, which has a shard. The condition narrows the type.
    publish: (_, event) => {
      if ('shard' in event) scheduler.scheduleShard({ shard: event.shard });
    },
  };
  return {
    log: new ChatLogRepository(stores.redis, processEvents as ProcessEventsService),
    close: () => jobs.onApplicationShutdown(),
  };
};

/** Appends messages at a constant rate, to `CHATS` chats in turn. */
const appendAtConstantRate = async (log: ChatLog, count: number): Promise<void> => {
  const chats = Array.from({ length: CHATS }, () => ({
    sessionId: randomUUID(),
    head: EMPTY_HEAD,
    lastAppend: Promise.resolve(),
  }));
  await sendAtRate(count, LAG_MESSAGES_PER_SECOND, (index) => {
    const chat = chats[index % CHATS];
    if (!chat) return;
    // The appends of a chat run one after another, because each needs the head that the previous one has left.
    chat.lastAppend = chat.lastAppend.then(async () => {
      const result = await log.append(chat.sessionId, chat.head, [encodeMessage()]);
      if (result.kind !== 'appended') return; // the missing row is reported as a fault afterwards
      chat.head = moveHead(chat.head, result.ids);
    });
  });
  await Promise.all(chats.map(({ lastAppend }) => lastAppend));
};

const formatRate = (rowsPerSecond: number): string =>
  `${Math.round(rowsPerSecond).toLocaleString('en')} rows/s`;

const createRows = ({ ours, jobPerEvent, insertSelect, p50, p99 }: Results): Row[] => {
  const ratioToJobPerEvent = computeRatios(ours, jobPerEvent);
  const label = 'Rows from outbox to PostgreSQL';
  return [
    {
      figure: 'P9',
      label,
      ours: formatRate(median(ours)),
      against: 'a job and an INSERT each',
      theirs: formatRate(median(jobPerEvent)),
      ratio: ratioToJobPerEvent,
      gate: `≥ ${MIN_RATIO_TO_JOB_PER_EVENT}`,
      aim: '≥ 10',
      isReached: ratioToJobPerEvent.median >= MIN_RATIO_TO_JOB_PER_EVENT,
    },
    {
      figure: 'P9',
      label,
      ours: formatRate(median(ours)),
      against: 'INSERT … generate_series',
      theirs: formatRate(median(insertSelect)),
      ratio: computeRatios(ours, insertSelect),
      gate: '',
      aim: '≥ 0.5',
    },
    {
      figure: 'P9',
      label: `Lag at ${LAG_MESSAGES_PER_SECOND.toLocaleString('en')} messages a second, p50 and p99`,
      ours: `${Math.round(p50)} ms, ${Math.round(p99)} ms`,
      against: '',
      theirs: '',
      gate: `p99 ≤ ${MAX_P99_LAG_MS / 1_000} s`,
      aim: '≤ 1.5 s',
      isReached: p99 <= MAX_P99_LAG_MS,
    },
  ];
};
