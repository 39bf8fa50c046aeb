import type { Driver } from '../driver/driver-process';
import { createVisitor, openAuthenticatedSocket, requestHttp, type Visitor } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { computeSpread, percentile } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { formatMicros, logProgress, type Outcome, type Settings } from './figure';

const WARM_UP_BLOCKS = 20;
/** A round measures a fixed number of blocks: this number for each second of `settings.seconds`. */
const BLOCKS_PER_SECOND = 20;
const MAX_P95_MS = 25;

interface User {
  visitor: Visitor;
  socket: JsonWire;
}

/**
 * `block`: the p95 in µs of the response time of `POST /api/blocks`, with which a user blocks another. Each request
 * blocks the partner of a chat in progress; the two users are on different replicas. Only one request runs at a time.
 * There is no baseline to compare with, only a limit.
 */
export const measureBlock = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  // The same two users are matched again and again, so there must be no cool-down between recent partners.
  const env = { REMATCH_COOLDOWN_S: '0' };
  const service = await Service.start(stores, { replicas: 2, hasWorker: false, env });
  const users: User[] = [];
  const p95sMicros: number[] = [];
  try {
    const [first = '', second = ''] = service.origins;
    const openUser = async (origin: string, gender: 'female' | 'male'): Promise<User> => {
      const visitor = await createVisitor(origin, gender);
      const user = { visitor, socket: await openAuthenticatedSocket(origin, visitor) };
      users.push(user);
      return user;
    };
    const blocker = await openUser(first, 'female');
    const partner = await openUser(second, 'male');
    // Round 0 warms up and is not counted.
    for (let round = 0; round <= settings.rounds; round += 1) {
      const count = round === 0 ? WARM_UP_BLOCKS : Math.ceil(settings.seconds * BLOCKS_PER_SECOND);
      const responsesMicros: number[] = [];
      for (let index = 0; index < count; index += 1)
        responsesMicros.push(await measureBlockInChat(first, blocker, partner));
      if (round === 0) continue;
      const p95Micros = percentile(responsesMicros, 0.95);
      p95sMicros.push(p95Micros);
      logProgress(`blocks, round ${round} of ${settings.rounds}: p95 ${formatMicros(p95Micros)}`);
    }
  } finally {
    for (const { socket } of users) socket.close();
    await service.stop();
    await stores.end();
  }
  const spreadMicros = computeSpread(p95sMicros);
  const [lowest, highest] = [formatMicros(spreadMicros.minimum), formatMicros(spreadMicros.maximum)];
  const row = {
    figure: 'block',
    label: `Response time of blocking the chat partner, p95 (rounds: ${lowest} to ${highest})`,
    ours: formatMicros(spreadMicros.median),
    against: '',
    theirs: '',
    gate: `≤ ${MAX_P95_MS} ms`,
    aim: '',
    isReached: spreadMicros.median <= MAX_P95_MS * 1_000,
  };
  return { rows: [row], faults: [], raw: { p95s: p95sMicros } };
};

/**
 * Starts a chat of the two users and blocks the partner. Then deletes the block, so that the next call can match the
 * two users again.
 * @returns the response time of the block in µs
 */
const measureBlockInChat = async (origin: string, blocker: User, partner: User): Promise<number> => {
  await startChat([blocker, partner]);
  const { userId: blockerId, cookie } = blocker.visitor;
  const { userId: blockedId } = partner.visitor;
  // A block ends the chat: the blocked partner receives the same frame as after a skip.
  const chatEnded = partner.socket.waitForFrame(({ event }) => event === 'chat_skipped');
  const startedAt = performance.now();
  await requestHttp(origin, 'POST', '/api/blocks', { blockerId, blockedId }, cookie);
  const responseMicros = (performance.now() - startedAt) * 1_000;
  await chatEnded;
  await requestHttp(origin, 'DELETE', `/api/blocks/${blockerId}/${blockedId}`, {}, cookie);
  return responseMicros;
};

const startChat = async (users: readonly User[]): Promise<void> => {
  const allMatched = users.map(({ socket }) => socket.waitForFrame(({ event }) => event === 'chat_matched'));
  for (const { socket } of users) await socket.request('join_queue', {});
  await Promise.all(allMatched);
};
