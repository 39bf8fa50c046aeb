// Runs against real api replicas, PostgreSQL, Redis and sockets. Redis is paused, so that it executes commands after
// their replica has stopped waiting for the reply.
import { setTimeout as sleep } from 'node:timers/promises';
import { listPrimaries } from '../../../platform/redis/redis-nodes.functions';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

/** The users send for at least 1.5 s, during which both pauses of Redis begin. */
const MESSAGES_PER_USER = 60;
const SEND_INTERVAL_MS = 25;
/** Longer than a replica waits for a reply of Redis (500 ms). */
const PAUSE_MS = 700;
const PAUSES = 2;
const MS_BETWEEN_PAUSES = 200;

describe('a chat with appends that time out', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterAll(() => stack.close());

  it('shows both users the same order, and sends a refused message to its sender if Redis has stored the message', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
      stack.origins[0]!,
      stack.origins[1]!,
    ]);
    const refusedContents: string[] = [];
    const sendMessages = async (socket: ThawSocket, name: string): Promise<void> => {
      const replies: Promise<void>[] = [];
      for (let number = 1; number <= MESSAGES_PER_USER; number += 1) {
        const content = `${name} ${number}`;
        const reply = socket.ask('random_message', { sessionId, content, messageType: 'text' });
        replies.push(
          reply.then(({ event }) => {
            if (event === 'error') refusedContents.push(content);
          }),
        );
        await sleep(SEND_INTERVAL_MS); // a constant rate, regardless of replies
      }
      await Promise.all(replies);
    };
    const pauseRedis = async (): Promise<void> => {
      for (let pause = 1; pause <= PAUSES; pause += 1) {
        await sleep(MS_BETWEEN_PAUSES);
        await Promise.all(
          listPrimaries(stack.store.redis).map((node) => node.call('CLIENT', 'PAUSE', PAUSE_MS, 'ALL')),
        );
        await sleep(PAUSE_MS);
      }
    };
    await Promise.all([sendMessages(adaSocket, 'ada'), sendMessages(bobSocket, 'bob'), pauseRedis()]);
    // Only at the next event does a replica notice that Redis stored a message although its append timed out.
    await adaSocket.request('random_message', { sessionId, content: 'the last word', messageType: 'text' });
    await until(() => adaSocket.getLastSeq(sessionId) === bobSocket.getLastSeq(sessionId));

    expect(refusedContents.length).toBeGreaterThan(0);
    // Both sockets have received every event in order of `seq`, so both users see the same order.
    for (const socket of [adaSocket, bobSocket]) expect(socket.seqViolations).toEqual([]);
    const storedRefusals: string[] = [];
    for (const [socket, ownId, partnerName] of [
      [adaSocket, ada.user.id, 'bob'],
      [bobSocket, bob.user.id, 'ada'],
    ] as const) {
      const messages = socket.all('random_message');
      const fromPartner = messages.filter(({ senderId }) => senderId !== ownId);
      const numbers = fromPartner.map(({ content }) =>
        Number(String(content).replace(`${partnerName} `, '')),
      );
      const receivedNumbers = numbers.filter((number) => !Number.isNaN(number)); // without 'the last word'
      // The order is the one in which the partner sent the messages.
      expect(receivedNumbers).toEqual([...receivedNumbers].sort((a, b) => a - b));
      // A sender receives their own messages as events only if they were refused and stored all the same.
      const ownContents = messages
        .filter(({ senderId }) => senderId === ownId)
        .map(({ content }) => String(content));
      expect(ownContents.every((content) => refusedContents.includes(content))).toBe(true);
      storedRefusals.push(...ownContents);
    }
    expect(storedRefusals.length).toBeGreaterThan(0);
  });
});
