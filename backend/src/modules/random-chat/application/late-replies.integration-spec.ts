// Runs against real api replicas, PostgreSQL, Redis and sockets. Redis is paused, so that it executes commands after
// their replica has stopped waiting for the reply. The sender of a message is then refused, but Redis may still store
// the message.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { listPrimaries } from '../../../platform/redis/redis-nodes.functions';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, textMessage, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

/**
 * Enough messages that users are still sending when the second pause of Redis begins: sending takes at least
 * 60 * 25 ms = 1.5 s, and the second pause begins after 200 + 700 + 200 ms = 1.1 s.
 */
const MESSAGES_PER_USER = 60;
const SEND_INTERVAL_MS = 25;
/** Longer than a replica waits for a reply of Redis (500 ms). */
const PAUSE_MS = 700;
const PAUSES = 2;
const MS_BETWEEN_PAUSES = 200;
/** The content of a message that is sent after all others. */
const LAST_CONTENT = 'the last word';

/**
 * Sends messages at a constant rate, regardless of replies: `ada 1`, `ada 2` and so on.
 * @returns the contents of the refused messages.
 */
const sendMessages = async (socket: ThawSocket, sessionId: string, name: string): Promise<string[]> => {
  const refusedContents: string[] = [];
  const sendOne = async (content: string): Promise<void> => {
    const { event } = await socket.ask('random_message', textMessage(sessionId, content));
    if (event === 'error') refusedContents.push(content);
  };
  const replies: Promise<void>[] = [];
  for (let number = 1; number <= MESSAGES_PER_USER; number += 1) {
    replies.push(sendOne(`${name} ${number}`));
    await sleep(SEND_INTERVAL_MS);
  }
  await Promise.all(replies);
  return refusedContents;
};

const pauseRedis = async (redis: RedisClient): Promise<void> => {
  for (let pause = 1; pause <= PAUSES; pause += 1) {
    await sleep(MS_BETWEEN_PAUSES);
    await Promise.all(listPrimaries(redis).map((node) => node.call('CLIENT', 'PAUSE', PAUSE_MS, 'ALL')));
    await sleep(PAUSE_MS);
  }
};

/** Lists the contents of the messages of one user that a socket has received. */
const listReceived = (socket: ThawSocket, senderId: number): string[] =>
  socket
    .all('random_message')
    .filter((message) => message.senderId === senderId)
    .map(({ content }) => String(content));

/** Expects that the numbers at the end of the contents rise. */
const expectInSendingOrder = (contents: readonly string[]): void => {
  const numbered = contents.filter((content) => content !== LAST_CONTENT);
  const numbers = numbered.map((content) => Number(content.split(' ')[1]));
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
};

describe('a chat with appends that time out', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterAll(() => stack.close());

  it('shows both users the same order, and notifies senders of refused but stored messages', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
      stack.origins[0]!,
      stack.origins[1]!,
    ]);
    const [refusedOfAda, refusedOfBob] = await Promise.all([
      sendMessages(adaSocket, sessionId, 'ada'),
      sendMessages(bobSocket, sessionId, 'bob'),
      pauseRedis(stack.store.redis),
    ]);
    expect(refusedOfAda.length + refusedOfBob.length).toBeGreaterThan(0);

    // A replica whose append timed out does not know whether Redis has stored the message. It finds out when the next
    // event is stored.
    await adaSocket.request('random_message', textMessage(sessionId, LAST_CONTENT));
    await until(() => adaSocket.getLastSeq(sessionId) === bobSocket.getLastSeq(sessionId));

    // Both sockets have received every event in order of `seq`, so both users see the same order.
    expect(adaSocket.seqViolations).toEqual([]);
    expect(bobSocket.seqViolations).toEqual([]);
    expectInSendingOrder(listReceived(adaSocket, bob.user.id));
    expectInSendingOrder(listReceived(bobSocket, ada.user.id));

    // For a message of their own, senders receive an ack. Only if the message was refused but stored do they receive
    // the event instead.
    const refusedButStoredOfAda = listReceived(adaSocket, ada.user.id);
    const refusedButStoredOfBob = listReceived(bobSocket, bob.user.id);
    expect(refusedOfAda).toEqual(expect.arrayContaining(refusedButStoredOfAda));
    expect(refusedOfBob).toEqual(expect.arrayContaining(refusedButStoredOfBob));
    expect(refusedButStoredOfAda.length + refusedButStoredOfBob.length).toBeGreaterThan(0);
  });
});
