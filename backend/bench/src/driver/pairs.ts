import { openAuthenticatedSocket, createVisitor, type Visitor } from './visitor';
import { runInParallel } from './run-in-parallel';
import { JsonWire, SocketIoWire, type Wire, type WireFrame } from './wire';

/**
 * The kind of server to which a pair is connected. `minimal relay` is baselines/minimal-relay.ts, which forwards
 * messages without checking them.
 */
export type ContenderKind = 'thaw' | 'minimal relay' | 'socket.io';

/** One user of a pair. */
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

/** Opens pairs of users, each in a chat of its own: the first user on the first origin, the second on the second. */
export const openPairs = (
  kind: ContenderKind,
  origins: readonly [string, string],
  count: number,
): Promise<Pair[]> => (kind === 'thaw' ? matchPairs(origins, count) : connectPairs(kind, origins, count));

/**
 * Matches users through the real queue. The users on the first origin are female and search for men, and the users on
 * the second are male and search for women, so each pair has a user on each origin.
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
    const recordMatch = ({ data }: WireFrame): void => {
      const { sessionId, partnerId } = data as { sessionId: string; partnerId: number };
      matchedPartners.set(visitor.userId, {
        wire,
        visitor,
        userId: visitor.userId,
        sessionId,
        partnerId,
        isFirst,
      });
    };
    // Not awaited: a later task may open the partner. The loop below waits for all matches, or throws.
    void matched.then(recordMatch, () => undefined);
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
 * Connects pairs to a baseline. The baselines have no queue: their clients name the chat, and those of the minimal
 * relay also name the partner.
 */
const connectPairs = async (
  kind: 'minimal relay' | 'socket.io',
  origins: readonly [string, string],
  count: number,
): Promise<Pair[]> => {
  const pairs: Pair[] = [];
  await runInParallel(count, CONCURRENCY, async (index) => {
    // Has the length of a session id of Thaw, so that frames have the same size.
    const sessionId = `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`;
    const computeUserId = (side: 0 | 1): number => index * 2 + side + 1;
    const openPartner = async (side: 0 | 1): Promise<Partner> => {
      const userId = computeUserId(side);
      if (kind === 'minimal relay') {
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
