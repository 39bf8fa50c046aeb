import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

// Baseline of P9, the rate at which events are persisted: one job and one INSERT per message, as in a service without
// an outbox. Sends the rows per second to its parent process.

const ROWS = Number(process.env.ROWS);
/** The rows are spread over this many chats. */
const CHATS = 200;
const JOBS_PER_CALL = 1_000;
const CONCURRENCY = 16;
const QUEUE = 'job-per-event';

const INSERT = `
INSERT INTO job_per_event_rows (stream_id, stream_position, event_id, type, schema_version, data, metadata, occurred_at)
VALUES ($1, $2, $3, 'MessageSent', 1, $4, '{}', now())`;

interface MessageJob {
  streamId: string;
  position: number;
  eventId: string;
  content: string;
}

const CONTENT = 'x'.repeat(100);

/** @param index number of the message in the run, from 0 */
const createJob = (index: number): { name: string; data: MessageJob } => ({
  name: 'message',
  data: {
    streamId: `chat-${index % CHATS}`,
    // Unique in a stream is enough: the positions of one stream need not be consecutive.
    position: index + 1,
    eventId: randomUUID(),
    content: CONTENT,
  },
});

const addJobs = async (connection: Redis): Promise<void> => {
  const queue = new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  for (let start = 0; start < ROWS; start += JOBS_PER_CALL) {
    const jobCount = Math.min(JOBS_PER_CALL, ROWS - start);
    await queue.addBulk(Array.from({ length: jobCount }, (_, index) => createJob(start + index)));
  }
};

/** Starts the worker. Resolves when it has inserted the rows of all jobs. */
const processJobs = (connection: Redis, pool: Pool): Promise<void> =>
  new Promise((resolve, reject) => {
    const insertRow = async ({ data }: { data: MessageJob }): Promise<void> => {
      await pool.query({
        name: 'insert',
        text: INSERT,
        values: [data.streamId, data.position, data.eventId, JSON.stringify({ content: data.content })],
      });
    };
    const worker = new Worker(QUEUE, insertRow, { connection, concurrency: CONCURRENCY });
    let completedCount = 0;
    worker.on('completed', () => {
      completedCount += 1;
      if (completedCount === ROWS) resolve();
    });
    worker.on('failed', (_job, error) => reject(error));
  });

const measureRowsPerSecond = async (): Promise<number> => {
  const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: CONCURRENCY });
  const connection = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
  await pool.query(
    'DROP TABLE IF EXISTS job_per_event_rows; CREATE TABLE job_per_event_rows (LIKE events INCLUDING ALL)',
  );
  // All jobs are in the queue before the clock starts, so the time does not include adding them.
  await addJobs(connection);
  const startedAt = performance.now();
  await processJobs(connection, pool);
  return ROWS / ((performance.now() - startedAt) / 1_000);
};

measureRowsPerSecond().then(
  (rowsPerSecond) => process.send?.({ rowsPerSecond }, () => process.exit()),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
