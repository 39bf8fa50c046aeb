import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { Driver } from '../driver/driver-process';
import { openAuthenticatedSocket, createVisitor } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { median, computeRatios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { formatMicros, type Outcome, logProgress, type Settings } from './figure';

const CONTENT = 'x'.repeat(100);
const WARM_UP_MESSAGES = 100;
/** The number of messages in a round is fixed: this number for each second of `settings.seconds`. */
const MESSAGES_PER_SECOND = 60;
/** The gate: above this ratio to the bare INSERT, the figure is missed. */
const MAX_RATIO = 3;
/** The aim, which is stricter than the gate. */
const AIMED_RATIO = 2;

/**
 * P10: µs from sending a private message until its ack, which follows the commit in PostgreSQL. One message at a time.
 * Compared with a bare prepared INSERT of the same text.
 */
export const measurePrivateMessage = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 1, hasWorker: false });
  const pool = new Pool({ connectionString: stores.databaseUrl, max: 1 });
  const ours: number[] = [];
  const bareInserts: number[] = [];
  let socketToClose: JsonWire | undefined;
  try {
    const [origin = ''] = service.origins;
    const [ada, bob] = [await createVisitor(origin), await createVisitor(origin)];
    // Only friends can exchange private messages. A friendship is stored with the lower user id first.
    const ids = [ada.userId, bob.userId].sort((a, b) => a - b);
    await pool.query('INSERT INTO friendships (low_id, high_id, created_at) VALUES ($1, $2, now())', ids);
    await pool.query(
      'CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sender_id bigint, content text)',
    );
    const socket = await openAuthenticatedSocket(origin, ada);
    socketToClose = socket;
    const message = { senderId: ada.userId, receiverId: bob.userId, content: CONTENT, messageType: 'text' };
    const send = () => socket.request('send_private_message', { ...message, clientId: randomUUID() });
    const insert = () =>
      pool.query({
        name: 'bare',
        text: 'INSERT INTO bare (sender_id, content) VALUES ($1, $2)',
        values: [ada.userId, CONTENT],
      });
    const messagesPerRound = Math.ceil(settings.seconds * MESSAGES_PER_SECOND);
    let sentCount = 0;
    // Round 0 warms up and is not counted.
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
      ours.push(median(messageMicros));
      bareInserts.push(median(insertMicros));
      logProgress(
        `private messages, round ${round} of ${settings.rounds}: ` +
          `${formatMicros(ours.at(-1) ?? 0)}, bare ${formatMicros(bareInserts.at(-1) ?? 0)}`,
      );
    }
    const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM private_messages');
    const storedCount = Number(rows[0]?.count);
    const faults =
      storedCount === sentCount ? [] : [`private messages: ${sentCount} acknowledged, ${storedCount} stored`];
    const ratio = computeRatios(ours, bareInserts);
    const row = {
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
    return { rows: [row], faults, raw: { ours, bareInserts } };
  } finally {
    socketToClose?.close();
    await pool.end();
    await service.stop();
    await stores.end();
  }
};

const measureMicros = async (operation: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await operation();
  return (performance.now() - startedAt) * 1_000;
};
