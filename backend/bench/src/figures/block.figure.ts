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
  // No cool-down between recent partners: the same two users are matched again after every block.
  const env = { REMATCH_COOLDOWN_S: '0' };
  const service = await Service.start(stores, { replicas: 2, hasWorker: false, env });
  const users: User[] = [];
  const p95s: number[] = [];
  try {
    const [first = '', second = ''] = service.origins;
    const openUser = async (origin: string, gender: 'female' | 'male'): Promise<User> => {
      const visitor = await createVisitor(origin, gender);
      const user = { visitor, socket: await openAuthenticatedSocket(origin, visitor) };
      users.push(user);
      return user;
    };
    const [ada, bob] = [await openUser(first, 'female'), await openUser(second, 'male')];
    const block = { blockerId: ada.visitor.userId, blockedId: bob.visitor.userId };
    const startChat = async (): Promise<void> => {
      const bothMatched = [ada, bob].map(({ socket }) =>
        socket.waitForFrame(({ event }) => event === 'chat_matched'),
      );
      for (const { socket } of [ada, bob]) await socket.request('join_queue', {});
      await Promise.all(bothMatched);
    };
    const measureResponseMicros = async (): Promise<number> => {
      await startChat();
      // A block ends the chat: the blocked partner receives the same frame as after a skip.
      const chatEnded = bob.socket.waitForFrame(({ event }) => event === 'chat_skipped');
      const startedAt = performance.now();
      await requestHttp(first, 'POST', '/api/blocks', ada.visitor.cookie, block);
      const responseMicros = (performance.now() - startedAt) * 1_000;
      await chatEnded;
      const path = `/api/blocks/${block.blockerId}/${block.blockedId}`;
      await requestHttp(first, 'DELETE', path, ada.visitor.cookie, {});
      return responseMicros;
    };
    // Round 0 warms up and is not counted.
    for (let round = 0; round <= settings.rounds; round += 1) {
      const count = round === 0 ? WARM_UP_BLOCKS : Math.ceil(settings.seconds * BLOCKS_PER_SECOND);
      const responsesMicros: number[] = [];
      for (let index = 0; index < count; index += 1) responsesMicros.push(await measureResponseMicros());
      if (round === 0) continue;
      const p95 = percentile(responsesMicros, 0.95);
      p95s.push(p95);
      logProgress(`blocks, round ${round} of ${settings.rounds}: p95 ${formatMicros(p95)}`);
    }
  } finally {
    for (const { socket } of users) socket.close();
    await service.stop();
    await stores.end();
  }
  const { median, minimum, maximum } = computeSpread(p95s);
  const row = {
    figure: 'block',
    label: `Response time of blocking the chat partner, p95 (rounds: ${formatMicros(minimum)} to ${formatMicros(maximum)})`,
    ours: formatMicros(median),
    against: '',
    theirs: '',
    gate: `≤ ${MAX_P95_MS} ms`,
    aim: '',
    isReached: median <= MAX_P95_MS * 1_000,
  };
  return { rows: [row], faults: [], raw: { p95s } };
};
