import type { Driver } from '../driver/driver-process';
import { createVisitor, openAuthenticatedSocket, requestHttp, type Visitor } from '../driver/visitor';
import type { JsonWire } from '../driver/wire';
import { computeSpread, percentile } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { formatMicros, logProgress, type Outcome, type Settings } from './figure';

const WARM_UP_BLOCKS = 20;
/** Blocks are measured one after another: this only derives their number from the seconds that other figures take. */
const BLOCKS_PER_SECOND_OF_SETTING = 20;
const MAX_P95_MS = 25;

interface User {
  visitor: Visitor;
  socket: JsonWire;
}

/**
 * `block`: the time in µs from sending `POST /api/blocks` to its response, as the p95 of each round. One block at a
 * time, each in a chat of two users on two replicas. It has no baseline, only a gate.
 */
export const measureBlock = async (_: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const env = { REMATCH_COOLDOWN_S: '0', REMATCH_RELAX_AFTER_S: '0' };
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
    const body = { blockerId: ada.visitor.userId, blockedId: bob.visitor.userId };
    const startChat = async (): Promise<void> => {
      const bothMatched = [ada, bob].map(({ socket }) =>
        socket.waitForFrame(({ event }) => event === 'chat_matched'),
      );
      for (const { socket } of [ada, bob]) await socket.request('join_queue', {});
      await Promise.all(bothMatched);
    };
    const measureBlockMicros = async (): Promise<number> => {
      await startChat();
      // A block ends the chat as a skip does.
      const chatEnded = bob.socket.waitForFrame(({ event }) => event === 'chat_skipped');
      const startedAt = performance.now();
      await requestHttp(first, 'POST', '/api/blocks', ada.visitor.cookie, body);
      const spentMicros = (performance.now() - startedAt) * 1_000;
      await chatEnded;
      const path = `/api/blocks/${body.blockerId}/${body.blockedId}`;
      await requestHttp(first, 'DELETE', path, ada.visitor.cookie, {});
      return spentMicros;
    };
    for (let round = 0; round <= settings.rounds; round += 1) {
      const count = round === 0 ? WARM_UP_BLOCKS : Math.ceil(settings.seconds * BLOCKS_PER_SECOND_OF_SETTING);
      const spent: number[] = [];
      for (let index = 0; index < count; index += 1) spent.push(await measureBlockMicros());
      if (round === 0) continue;
      p95s.push(percentile(spent, 0.95));
      logProgress(`blocks, round ${round} of ${settings.rounds}: p95 ${formatMicros(p95s.at(-1) ?? 0)}`);
    }
  } finally {
    for (const { socket } of users) socket.close();
    await service.stop();
    await stores.end();
  }
  const { median, minimum, maximum } = computeSpread(p95s);
  const row = {
    figure: 'block',
    what: `Response time of blocking the chat partner, p95 (rounds: ${formatMicros(minimum)} to ${formatMicros(maximum)})`,
    ours: formatMicros(median),
    against: '',
    theirs: '',
    gate: `≤ ${MAX_P95_MS} ms`,
    aim: '',
    isReached: median <= MAX_P95_MS * 1_000,
  };
  return { rows: [row], faults: [], raw: { p95s } };
};
