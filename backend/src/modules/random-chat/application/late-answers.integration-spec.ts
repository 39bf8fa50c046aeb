// Runs against real api replicas, PostgreSQL, Redis and sockets. Redis executes commands after a replica has timed out.
import { setTimeout as sleep } from 'node:timers/promises';
import { listPrimaries } from '../../../platform/redis/redis-nodes.functions';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

/** Sent by each user: about two seconds, which cover both pauses of Redis. */
const MESSAGES_PER_USER = 60;
const SEND_INTERVAL_MS = 25;
/** Longer than a replica waits for a reply (500 ms). */
const PAUSED_MS = 700;

describe('a chat with appends that time out', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterAll(() => stack.close());

  it('shows both users the same order, and sends a refused message to its sender if Redis stored it', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
      stack.origins[0]!,
      stack.origins[1]!,
    ]);
    const refused: string[] = [];
    const sendMessages = async (socket: ThawSocket, name: string): Promise<void> => {
      const replies: Promise<void>[] = [];
      for (let number = 1; number <= MESSAGES_PER_USER; number += 1) {
        const content = `${name} ${number}`;
        const reply = socket.ask('random_message', { sessionId, content, messageType: 'text' });
        replies.push(reply.then(({ event }) => void (event === 'error' && refused.push(content))));
        await sleep(SEND_INTERVAL_MS); // a constant rate: does not wait for replies
      }
      await Promise.all(replies);
    };
    const pausing = (async () => {
      for (let round = 0; round < 2; round += 1) {
        await sleep(200);
        await Promise.all(
          listPrimaries(stack.store.redis).map((node) => node.call('CLIENT', 'PAUSE', PAUSED_MS, 'ALL')),
        );
        await sleep(PAUSED_MS);
      }
    })();
    await Promise.all([sendMessages(adaSocket, 'ada'), sendMessages(bobSocket, 'bob'), pausing]);
    // The next event, or the comparison of versions, reveals an append that timed out but was stored.
    await adaSocket.request('random_message', { sessionId, content: 'the last word', messageType: 'text' });
    await until(() => adaSocket.getLastSeen(sessionId) === bobSocket.getLastSeen(sessionId));

    expect(refused.length).toBeGreaterThan(0);
    for (const socket of [adaSocket, bobSocket]) expect(socket.seqViolations).toEqual([]);
    for (const [socket, self, partner] of [
      [adaSocket, ada.user.id, 'bob'],
      [bobSocket, bob.user.id, 'ada'],
    ] as const) {
      const messages = socket.all('random_message');
      const fromPartner = messages.filter(({ senderId }) => senderId !== self);
      const numbers = fromPartner.map(({ content }) => Number(String(content).replace(`${partner} `, '')));
      const received = numbers.filter((number) => !Number.isNaN(number));
      expect(received).toEqual([...received].sort((a, b) => a - b));
      // The sender received an error for a message that Redis stored, so it arrives as an event instead.
      const own = messages.filter(({ senderId }) => senderId === self).map(({ content }) => String(content));
      expect(own.every((content) => refused.includes(content))).toBe(true);
    }
    expect(
      [adaSocket, bobSocket].some((socket) =>
        socket.all('random_message').some(({ senderId }) => senderId === socket.userId),
      ),
    ).toBe(true);
  });
});
