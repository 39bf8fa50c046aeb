// Real: PostgreSQL, Redis, two api replicas over HTTP and sockets. The long form (THAW_TEST_LONG=1) has 10,000 rounds.
import { recordPastChat } from '../../testing/relationship.fixture';
import { quickChatSettings, startTestReplicas, type TestReplicas } from '../../testing/test-replicas.harness';
import {
  type ReceivedFrame,
  textMessage,
  type ThawSocket,
  type ThawVisitor,
} from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { MatchQueueService } from '../matching/application/match-queue.service';

const isLong = process.env.THAW_TEST_LONG === '1';
const ROUNDS = isLong ? 10_000 : 200;

jest.setTimeout(isLong ? 3_600_000 : 90_000);

describe('a block and a match at the same moment', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(2, quickChatSettings);
  });
  afterAll(() => thaw.close());

  /** Sends a message as soon as a chat starts, as fast as a client can. */
  const greetPartners = ({ socket }: ThawSocket): void => {
    socket.on('message', (raw) => {
      const { event, data } = JSON.parse((raw as Buffer).toString()) as ReceivedFrame;
      if (event === 'chat_matched')
        socket.send(
          JSON.stringify({ event: 'random_message', data: textMessage(String(data.sessionId), 'hi') }),
        );
    });
  };
  const eventsOf = (socket: ThawSocket, sessionId: string): string[] =>
    socket.frames.filter(({ data }) => data?.sessionId === sessionId).map(({ event }) => event);
  /** Lets other work of this process run, so that the rounds cross at different points. */
  const takeTurns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
  };

  it(`leaves no open chat of the two, and none starts, in ${ROUNDS} rounds over two replicas`, async () => {
    const users = [await thaw.createVisitor(0, 'female'), await thaw.createVisitor(1, 'male')] as const;
    await recordPastChat(thaw.replicas[0]!, ...users);
    const sockets = await Promise.all(users.map((user) => user.openSocket()));
    sockets.forEach(greetPartners);
    const queue = thaw.replicas[0]!.app.get(MatchQueueService);
    const statesOf = async () =>
      (await queue.readRecords(users.map(({ user }) => user.id))).map((record) => record?.state ?? 'nowhere');
    const chats = { started: 0, none: 0 };

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const socket of sockets) socket.frames.length = 0;
      const [first, second] = round % 2 ? [0, 1] : [1, 0];
      const [blocker, blocked] = (round % 4 < 2 ? users : [...users].reverse()) as [ThawVisitor, ThawVisitor];
      await sockets[first]!.request('join_queue', {});
      const join = () => sockets[second]!.ask('join_queue', {});
      const body = { blockerId: blocker.user.id, blockedId: blocked.user.id };
      const block = () => blocker.call('POST', '/api/blocks', body);
      const turns = (round * 7) % 120;
      const isBlockFirst = Math.floor(round / 4) % 2 === 0;
      const pending: Promise<unknown>[] = [isBlockFirst ? block() : join()];
      await takeTurns(turns);
      pending.push(isBlockFirst ? join() : block());
      const answers = await Promise.all(pending);
      expect(answers[isBlockFirst ? 0 : 1]).toMatchObject({ status: 201 });

      await until(async () =>
        (await statesOf()).every((state) => state === 'nowhere' || state === 'searching'),
      );
      const sessions = new Set(
        sockets.flatMap((socket) => socket.all('chat_matched').map(({ sessionId }) => String(sessionId))),
      );
      expect(sessions.size).toBeLessThanOrEqual(1);
      for (const sessionId of sessions)
        for (const socket of sockets) {
          await until(() => eventsOf(socket, sessionId).includes('chat_skipped'));
          expect(eventsOf(socket, sessionId).at(-1)).toBe('chat_skipped');
        }
      chats[sessions.size > 0 ? 'started' : 'none'] += 1;

      // Both search again beside each other; then everything is undone for the next round.
      for (const socket of sockets) await socket.request('join_queue', {});
      expect(await statesOf()).toEqual(['searching', 'searching']);
      for (const socket of sockets) await socket.request('leave_queue', {});
      const path = `/api/blocks/${blocker.user.id}/${blocked.user.id}`;
      expect((await blocker.call('DELETE', path)).status).toBe(204);
      expect(sockets.flatMap((socket) => socket.all('chat_matched')).length).toBeLessThanOrEqual(2);
    }

    // Rounds in which only one of the two is ever first would prove nothing.
    expect(chats.started).toBeGreaterThan(ROUNDS / 20);
    expect(chats.none).toBeGreaterThan(ROUNDS / 20);
    for (const socket of sockets) expect(socket.disorders).toEqual([]);
  });
});
