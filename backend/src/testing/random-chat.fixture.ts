import { chatKeys, matchingKeys, findShard } from '../platform/redis/redis.keys';
import type { TestStack } from './test-stack.harness';
import type { ThawSocket, ThawVisitor } from './thaw.client';
import { until } from './until.functions';

/** Two users in a chat. A user has one socket for each open tab. */
export interface TestChat {
  ada: ThawVisitor;
  bob: ThawVisitor;
  /** The first of `adaSockets`. */
  adaSocket: ThawSocket;
  bobSocket: ThawSocket;
  /** One for each tab, on the replicas in turn: the first socket is on the first replica. */
  adaSockets: ThawSocket[];
  /** As `adaSockets`, but the first socket is on the second replica. */
  bobSockets: ThawSocket[];
  sessionId: string;
}

/** Signs in two users whom `matchSockets` can match: a woman on the first replica and a man on the second. */
export const createPair = async (stack: TestStack): Promise<[ada: ThawVisitor, bob: ThawVisitor]> => [
  await stack.createVisitor(0, 'female'),
  await stack.createVisitor(1, 'male'),
];

/**
 * Lets both users of `createPair` search, with their first sockets. Waits until every socket has received the match.
 * Earlier matches are counted on one socket, so all sockets must have received the same number of them.
 * @returns the session id of the chat.
 */
export const matchSockets = async (
  adaSockets: readonly ThawSocket[],
  bobSockets: readonly ThawSocket[],
): Promise<string> => {
  const earlierMatchCount = adaSockets[0]!.all('chat_matched').length;
  await adaSockets[0]!.request('join_queue', { preferences: 'male' });
  await bobSockets[0]!.request('join_queue', { preferences: 'female' });
  const sockets = [...adaSockets, ...bobSockets];
  await Promise.all(
    sockets.map((socket) => until(() => socket.all('chat_matched').length > earlierMatchCount)),
  );
  const sessionIds = new Set(sockets.map((socket) => String(socket.all('chat_matched').at(-1)?.sessionId)));
  expect(sessionIds.size).toBe(1);
  return [...sessionIds][0]!;
};

/** Opens one socket for each tab, on the replicas in turn, starting with the index `firstReplica`. */
const openTabs = (
  stack: TestStack,
  visitor: ThawVisitor,
  { count, firstReplica }: { count: number; firstReplica: number },
): Promise<ThawSocket[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      visitor.openSocket(stack.origins[(firstReplica + index) % stack.origins.length]),
    ),
  );

/** Starts a chat of two new users, whose tabs are spread over the replicas. */
export const startChat = async (
  stack: TestStack,
  { adaTabs = 1, bobTabs = 1 }: { adaTabs?: number; bobTabs?: number } = {},
): Promise<TestChat> => {
  const [ada, bob] = await createPair(stack);
  const adaSockets = await openTabs(stack, ada, { count: adaTabs, firstReplica: 0 });
  const bobSockets = await openTabs(stack, bob, { count: bobTabs, firstReplica: 1 });
  const sessionId = await matchSockets(adaSockets, bobSockets);
  return {
    ada,
    bob,
    adaSocket: adaSockets[0]!,
    bobSocket: bobSockets[0]!,
    adaSockets,
    bobSockets,
    sessionId,
  };
};

/** Reads the ids and types of the chat's events from its stream in Redis. */
export const readEvents = async (
  stack: TestStack,
  sessionId: string,
): Promise<{ id: string; type: string }[]> => {
  const entries = await stack.store.redis.xrange(chatKeys(findShard(sessionId)).stream(sessionId), '-', '+');
  return entries.map(([id, fields]) => {
    // `fields` has the name and the value of the only field; the value is the event as JSON.
    const [, json = '{}'] = fields;
    const { t: type } = JSON.parse(json) as { t: string };
    return { id, type };
  });
};

/** @returns `searching`, `claimed` (the chat is about to start) or `chatting`; undefined for a user who is idle. */
export const readQueueState = async (stack: TestStack, visitor: ThawVisitor): Promise<string | undefined> =>
  (await stack.store.redis.hget(matchingKeys.user(visitor.user.id), 'state')) ?? undefined;

/** Waits until every socket has received the chat's event with the number `seq`. */
export const waitForSeq = (sockets: readonly ThawSocket[], sessionId: string, seq: number) =>
  Promise.all(sockets.map((socket) => until(() => socket.getLastSeq(sessionId) >= seq)));

/** Expects that every socket has received the events of its chats in the order of `seq`, without gap or repetition. */
export const expectOrderedSeq = (sockets: readonly ThawSocket[]): void => {
  for (const socket of sockets) expect(socket.seqViolations).toEqual([]);
};
