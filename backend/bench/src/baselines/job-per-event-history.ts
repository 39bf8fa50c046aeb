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

const run = async (): Promise<number> => {
  const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: CONCURRENCY });
  const connection = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
  const queue = new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  await pool.query(
    'DROP TABLE IF EXISTS job_per_event_rows; CREATE TABLE job_per_event_rows (LIKE events INCLUDING ALL)',
  );
  const content = 'x'.repeat(100);
  for (let start = 0; start < ROWS; start += JOBS_PER_CALL) {
    await queue.addBulk(
      Array.from({ length: Math.min(JOBS_PER_CALL, ROWS - start) }, (_, index) => ({
        name: 'message',
        data: {
          streamId: `chat-${(start + index) % CHATS}`,
          // Unique in a stream is enough: the positions of one stream need not be consecutive.
          position: start + index + 1,
          eventId: randomUUID(),
          content,
        },
      })),
    );
  }
  const startedAt = performance.now();
  let completedCount = 0;
  // All jobs are in the queue before the worker starts, so the time does not include adding them.
  await new Promise<void>((resolve, reject) => {
    const worker = new Worker(
      QUEUE,
      async ({
        data,
      }: {
        data: { streamId: string; position: number; eventId: string; content: string };
      }) => {
        await pool.query({
          name: 'insert',
          text: INSERT,
          values: [data.streamId, data.position, data.eventId, JSON.stringify({ content: data.content })],
        });
      },
      { connection, concurrency: CONCURRENCY },
    );
    worker.on('completed', () => {
      completedCount += 1;
      if (completedCount === ROWS) resolve();
    });
    worker.on('failed', (_job, error) => reject(error));
  });
  return ROWS / ((performance.now() - startedAt) / 1_000);
};

run().then(
  (rowsPerSecond) => process.send?.({ rowsPerSecond }, () => process.exit()),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
