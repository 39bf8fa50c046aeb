import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { Driver } from '../driver/driver-process';
import { openAuthenticatedSocket, createVisitor, type Visitor } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { formatMicros, type Outcome, logProgress, type Row, type Settings } from './figure';

const CONTENT = 'x'.repeat(100);
const WARM_UP_MESSAGES = 100;
/** A round measures a fixed number of messages: this number for each second of `settings.seconds`. */
const MESSAGES_PER_SECOND = 60;
// The gate and the aim (see `Row`) for the ratio to the baseline.
const MAX_RATIO = 3;
const AIMED_RATIO = 2;

/** The median time of each round, in µs. */
interface RoundMedians {
  ours: number[];
  bareInserts: number[];
}

interface Operations {
  /** Sends a private message and waits for its ack. */
  send: () => Promise<unknown>;
  /** Inserts the same text into a table without a service around it: the baseline. */
  insert: () => Promise<unknown>;
}

/**
 * P10: the time in µs from sending a private message until its ack, which follows the commit in PostgreSQL. Only one
 * message is sent at a time. The baseline is a prepared INSERT of the same text.
 */
export const measurePrivateMessage = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 1, hasWorker: false });
  const pool = new Pool({ connectionString: stores.databaseUrl, max: 1 });
  let socket: JsonWire | undefined;
  try {
    const [origin = ''] = service.origins;
    const [sender, receiver] = [await createVisitor(origin), await createVisitor(origin)];
    await befriend(pool, sender, receiver);
    socket = await openAuthenticatedSocket(origin, sender);
    const operations: Operations = {
      send: createSend(socket, sender, receiver),
      insert: await createBareInsert(pool, sender),
    };
    const { medians, sentCount } = await measureRounds(operations, settings);
    const storedCount = await countStoredMessages(pool);
    const faults =
      storedCount === sentCount ? [] : [`private messages: ${sentCount} acknowledged, ${storedCount} stored`];
    return { rows: [createRow(medians)], faults, raw: medians };
  } finally {
    socket?.close();
    await pool.end();
    await service.stop();
    await stores.end();
  }
};

/** Only friends can exchange private messages. */
const befriend = async (pool: Pool, one: Visitor, other: Visitor): Promise<void> => {
  // A friendship is stored with the lower user id first.
  const ids = [one.userId, other.userId].sort((a, b) => a - b);
  await pool.query('INSERT INTO friendships (low_id, high_id, created_at) VALUES ($1, $2, now())', ids);
};

const createSend = (socket: JsonWire, sender: Visitor, receiver: Visitor): Operations['send'] => {
  const message = {
    senderId: sender.userId,
    receiverId: receiver.userId,
    content: CONTENT,
    messageType: 'text',
  };
  return () => socket.request('send_private_message', { ...message, clientId: randomUUID() });
};

const createBareInsert = async (pool: Pool, sender: Visitor): Promise<Operations['insert']> => {
  await pool.query(
    'CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sender_id bigint, content text)',
  );
  return () =>
    pool.query({
      name: 'bare', // a statement with a name is prepared once
      text: 'INSERT INTO bare (sender_id, content) VALUES ($1, $2)',
      values: [sender.userId, CONTENT],
    });
};

/** @returns also the number of messages sent, those of the warm-up included */
const measureRounds = async (
  { send, insert }: Operations,
  settings: Settings,
): Promise<{ medians: RoundMedians; sentCount: number }> => {
  const medians: RoundMedians = { ours: [], bareInserts: [] };
  const messagesPerRound = Math.ceil(settings.seconds * MESSAGES_PER_SECOND);
  let sentCount = 0;
  // Round 0 warms up and is not measured.
  for (let round = 0; round <= settings.rounds; round += 1) {
    const count = round === 0 ? WARM_UP_MESSAGES : messagesPerRound;
    const messageMicros: number[] = [];
    const insertMicros: number[] = [];
    // Messages and inserts alternate, so that both meet the same state of the disk.
    for (let index = 0; index < count; index += 1) {
      insertMicros.push(await measureMicros(insert));
      messageMicros.push(await measureMicros(send));
    }
    sentCount += count;
    if (round === 0) continue;
    const [ours, bare] = [median(messageMicros), median(insertMicros)];
    medians.ours.push(ours);
    medians.bareInserts.push(bare);
    logProgress(
      `private messages, round ${round} of ${settings.rounds}: ` +
        `${formatMicros(ours)}, bare ${formatMicros(bare)}`,
    );
  }
  return { medians, sentCount };
};

const countStoredMessages = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM private_messages');
  return Number(rows[0]?.count);
};

const createRow = ({ ours, bareInserts }: RoundMedians): Row => {
  const ratio = computeRatios(ours, bareInserts);
  return {
    figure: 'P10',
    label: 'Private message, sent to acknowledged',
    ours: formatMicros(median(ours)),
    against: 'bare INSERT',
    theirs: formatMicros(median(bareInserts)),
    ratio,
    gate: `≤ ${MAX_RATIO}`,
    aim: `≤ ${AIMED_RATIO}`,
    isReached: ratio.median <= MAX_RATIO,
  };
};

const measureMicros = async (operation: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await operation();
  return (performance.now() - startedAt) * 1_000;
};
