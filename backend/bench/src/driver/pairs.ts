import { openAuthenticatedSocket, runInParallel, createVisitor, type Visitor } from './visitor';
import { JsonWire, SocketIoWire, type Wire } from './wire';

/** What a pair is connected to. `minimal relay` is baselines/minimal-relay.ts, which only relays and has no rules. */
export type ContenderKind = 'thaw' | 'minimal relay' | 'socket.io';

export interface Partner {
  wire: Wire;
  /** Set for Thaw only. */
  visitor?: Visitor;
  userId: number;
  sessionId: string;
}

export type Pair = readonly [Partner, Partner];

const CONCURRENCY = 4;
const MATCHED_POLL_MS = 100;
const MATCHED_WITHIN_MS = 60_000;

/** Opens pairs of users, one chat for each pair: the first user on the first origin, the second on the second. */
export const openPairs = (
  contender: ContenderKind,
  origins: readonly [string, string],
  count: number,
): Promise<Pair[]> =>
  contender === 'thaw' ? matchPairs(origins, count) : connectPairs(contender, origins, count);

/**
 * Matches users through the real queue. The users on one origin are female and search for men, those on the other the
 * reverse, so each pair has a user on each replica.
 */
const matchPairs = async (origins: readonly [string, string], count: number): Promise<Pair[]> => {
  const matchedPartners = new Map<number, Partner & { partnerId: number; isFirst: boolean }>();
  await runInParallel(count * 2, CONCURRENCY, async (index) => {
    const isFirst = index % 2 === 0;
    const origin = origins[isFirst ? 0 : 1];
    const visitor = await createVisitor(origin, isFirst ? 'female' : 'male');
    const wire = await openAuthenticatedSocket(origin, visitor);
    const matched = wire.waitForFrame(({ event }) => event === 'chat_matched', MATCHED_WITHIN_MS);
    await wire.request('join_queue', { preferences: isFirst ? 'male' : 'female' });
    // Not awaited: the partner may be opened by a later task. The loop below notices a match that never comes.
    void matched.then(({ data }) => {
      const { sessionId, partnerId } = data as { sessionId: string; partnerId: number };
      matchedPartners.set(visitor.userId, {
        wire,
        visitor,
        userId: visitor.userId,
        sessionId,
        partnerId,
        isFirst,
      });
    });
  });
  for (let waitedMs = 0; matchedPartners.size < count * 2; waitedMs += MATCHED_POLL_MS) {
    if (waitedMs > MATCHED_WITHIN_MS)
      throw new Error(`Only ${matchedPartners.size} of ${count * 2} were matched`);
    await new Promise((resolve) => setTimeout(resolve, MATCHED_POLL_MS));
  }
  return [...matchedPartners.values()]
    .filter(({ isFirst }) => isFirst)
    .map((first): Pair => {
      const second = matchedPartners.get(first.partnerId);
      if (second?.sessionId !== first.sessionId)
        throw new Error('The two users of a pair are in different chats');
      return [first, second];
    });
};

/**
 * The other contenders have no queue: their clients name the chat, and those of the minimal relay also name the
 * partner.
 */
const connectPairs = async (
  contender: 'minimal relay' | 'socket.io',
  origins: readonly [string, string],
  count: number,
): Promise<Pair[]> => {
  const pairs: Pair[] = [];
  await runInParallel(count, CONCURRENCY, async (index) => {
    // As long as a session id of Thaw, so that frames have the same size.
    const sessionId = `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`;
    const computeUserId = (side: 0 | 1): number => index * 2 + side + 1;
    const openPartner = async (side: 0 | 1): Promise<Partner> => {
      const userId = computeUserId(side);
      if (contender === 'minimal relay') {
        const query = `user=${userId}&partner=${computeUserId(side === 0 ? 1 : 0)}&session=${sessionId}`;
        const url = `${origins[side].replace(/^http/, 'ws')}/ws?${query}`;
        const wire = await JsonWire.open(url, { greeting: 'ready' });
        return { wire, userId, sessionId };
      }
      const wire = await SocketIoWire.open(origins[side]);
      await wire.request('join', { sessionId, userId });
      return { wire, userId, sessionId };
    };
    pairs.push([await openPartner(0), await openPartner(1)]);
  });
  return pairs;
};
