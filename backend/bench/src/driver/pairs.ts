import { openAuthenticatedSocket, createVisitor, type Visitor } from './visitor';
import { runInParallel } from './run-in-parallel';
import { JsonWire, SocketIoWire, type Wire, type WireFrame } from './wire';

/**
 * The kind of server to which a pair is connected: Thaw, or a baseline that it is compared with. `minimal relay`
 * (baselines/minimal-relay.ts) forwards messages without checking them.
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
const MATCHED_WITHIN_MS = 60_000;
const MATCHED_POLL_MS = 100;

/** Opens pairs of users, each in a chat of its own: the first user on the first origin, the second on the second. */
export const openPairs = (
  kind: ContenderKind,
  origins: readonly [string, string],
  count: number,
): Promise<Pair[]> => {
  switch (kind) {
    case 'thaw':
      return matchPairs(origins, count);
    case 'minimal relay':
      return connectPairs(origins, count, openMinimalRelaySocket);
    case 'socket.io':
      return connectPairs(origins, count, openSocketIoSocket);
  }
};

/** A user whom the queue has matched with another one. */
interface MatchedPartner extends Partner {
  partnerId: number;
  /** Whether this is the first user of the pair. */
  isFirst: boolean;
}

/**
 * Matches users through the real queue. The users on the first origin are female and search for men, and the users on
 * the second are male and search for women, so each pair has a user on each origin.
 */
const matchPairs = async (origins: readonly [string, string], count: number): Promise<Pair[]> => {
  const userCount = count * 2;
  /** By user id. */
  const matchedPartners = new Map<number, MatchedPartner>();
  await runInParallel(userCount, CONCURRENCY, async (index) => {
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
    // Not awaited, because a later task may open the partner. The loop below throws if a match is missing.
    void matched.then(recordMatch, () => undefined);
  });
  for (let waitedMs = 0; matchedPartners.size < userCount; waitedMs += MATCHED_POLL_MS) {
    if (waitedMs > MATCHED_WITHIN_MS)
      throw new Error(`Only ${matchedPartners.size} of ${userCount} were matched`);
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

/** A user of a baseline. The baselines have no queue, so the client names the chat and the partner. */
interface BaselineUser {
  userId: number;
  partnerId: number;
  sessionId: string;
}

type OpenBaselineSocket = (origin: string, user: BaselineUser) => Promise<Wire>;

const openMinimalRelaySocket: OpenBaselineSocket = (origin, { userId, partnerId, sessionId }) => {
  const query = `user=${userId}&partner=${partnerId}&session=${sessionId}`;
  return JsonWire.open(`${origin.replace(/^http/, 'ws')}/ws?${query}`, { greeting: 'ready' });
};

const openSocketIoSocket: OpenBaselineSocket = async (origin, { userId, sessionId }) => {
  const wire = await SocketIoWire.open(origin);
  await wire.request('join', { sessionId, userId });
  return wire;
};

const connectPairs = async (
  [firstOrigin, secondOrigin]: readonly [string, string],
  count: number,
  openSocket: OpenBaselineSocket,
): Promise<Pair[]> => {
  const pairs: Pair[] = [];
  await runInParallel(count, CONCURRENCY, async (index) => {
    // About as long as a session id of Thaw, so that frames are about as large.
    const sessionId = `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`;
    const firstId = index * 2 + 1;
    const secondId = firstId + 1;
    const openPartner = async (origin: string, userId: number, partnerId: number): Promise<Partner> => {
      const wire = await openSocket(origin, { userId, partnerId, sessionId });
      return { wire, userId, sessionId };
    };
    const first = await openPartner(firstOrigin, firstId, secondId);
    const second = await openPartner(secondOrigin, secondId, firstId);
    pairs.push([first, second]);
  });
  return pairs;
};
