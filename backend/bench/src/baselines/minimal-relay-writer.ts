import { Redis } from 'ioredis';
import { Pool } from 'pg';

// Writes the history of minimal-relay.ts, a baseline of figure P8 (delivery.figure.ts): reads the relay's stream in
// batches and inserts each batch into PostgreSQL with one statement.

const STREAM = 'history';
const BATCH_SIZE = 500;
/** Pause after a batch that was not full. */
const PAUSE_MS = 250;

const redis = new Redis(process.env.REDIS_URL ?? '');
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 1 });

const writeBatch = async (): Promise<number> => {
  const entries = await redis.xrange(STREAM, '-', '+', 'COUNT', BATCH_SIZE);
  if (entries.length === 0) return 0;
  // An entry is `[id, ['frame', frame]]`.
  const ids = entries.map(([id]) => id);
  const frames = entries.map(([, [, frame]]) => frame);
  await pool.query({
    name: 'write',
    text: 'INSERT INTO relay_history (id, frame) SELECT * FROM unnest($1::text[], $2::jsonb[])',
    values: [ids, frames],
  });
  await redis.xdel(STREAM, ...ids);
  return entries.length;
};

const run = async (): Promise<void> => {
  await pool.query('CREATE TABLE relay_history (id text PRIMARY KEY, frame jsonb)');
  // Reports that this process is ready. It listens on no port.
  process.send?.({ port: 0 });
  for (;;) {
    const writtenCount = await writeBatch();
    if (writtenCount < BATCH_SIZE) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
};

void run();
