// Real: api replicas, PostgreSQL, Redis, sockets. Redis executes what it is sent later than a replica waits for.
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestReplicas, type TestReplicas } from '../../../testing/test-replicas.harness';
import { pair, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

const MESSAGES = 60;
/** Longer than a replica waits for an answer (500 ms). */
const PAUSED_MS = 700;

describe('a chat whose appends Redis answers too late', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(2);
  });
  afterAll(() => thaw.close());

  it('has one order on both sides, and brings a sender what was refused and is stored all the same', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await pair([thaw.origins[0]!, thaw.origins[1]!]);
    const refused: string[] = [];
    const talk = async (socket: ThawSocket, name: string): Promise<void> => {
      const answers: Promise<void>[] = [];
      for (let number = 1; number <= MESSAGES; number += 1) {
        const content = `${name} ${number}`;
        const asked = socket.ask('random_message', { sessionId, content, messageType: 'text' });
        answers.push(asked.then(({ event }) => void (event === 'error' && refused.push(content))));
        await sleep(25); // at a pace of its own, whatever comes back
      }
      await Promise.all(answers);
    };
    const pausing = (async () => {
      for (let round = 0; round < 2; round += 1) {
        await sleep(200);
        await thaw.store.redis.call('CLIENT', 'PAUSE', PAUSED_MS, 'ALL');
        await sleep(PAUSED_MS);
      }
    })();
    await Promise.all([talk(adaSocket, 'ada'), talk(bobSocket, 'bob'), pausing]);
    // What is refused last is noticed with the next event, or when versions are compared.
    await adaSocket.request('random_message', { sessionId, content: 'the last word', messageType: 'text' });
    await until(() => adaSocket.lastSeen(sessionId) === bobSocket.lastSeen(sessionId));

    expect(refused.length).toBeGreaterThan(0);
    for (const socket of [adaSocket, bobSocket]) expect(socket.disorders).toEqual([]);
    for (const [socket, self, partner] of [
      [adaSocket, ada.user.id, 'bob'],
      [bobSocket, bob.user.id, 'ada'],
    ] as const) {
      const messages = socket.all('random_message');
      const fromPartner = messages.filter(({ senderId }) => senderId !== self);
      const numbers = fromPartner.map(({ content }) => Number(String(content).replace(`${partner} `, '')));
      const told = numbers.filter((number) => !Number.isNaN(number));
      expect(told).toEqual([...told].sort((one, other) => one - other));
      // As frames of their own: what was refused, and was stored when Redis went on.
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
