// Runs against a real api replica, worker, PostgreSQL, Redis and sockets. Three methods send a frame: `request` throws
// when the answer is an error, `ask` returns every answer, and `send` does not wait for one.
import { findQuestionById } from '@thaw/contract/questions';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, type ThawSocket } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

/**
 * Strings that are not valid as ids: with a NUL, unpaired surrogates or control characters, some of which PostgreSQL
 * refuses; an empty string, and one longer than the maximum of 64 characters.
 */
const HOSTILE_STRINGS = ['a\u0000', 'b\ud800', '\udc00c', 'd\n', 'e\u007f', 'f\u009f', '', 'x'.repeat(65)];
const REFUSAL = { event: 'error', data: { code: 'invalid_payload' } };

describe('hostile strings from clients', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1);
    await stack.startWorker();
  });
  afterAll(() => stack.close());

  const startChat = () => matchNewVisitors([stack.origins[0]!, stack.origins[0]!]);

  const countStoredEvents = async (sessionId: string): Promise<number> => {
    const [row] = await stack.database.dataSource.query<{ count: string }[]>(
      'SELECT count(*) FROM events WHERE stream_id = $1',
      [`chat-${sessionId}`],
    );
    return Number(row?.count);
  };

  /** Ends the chat and expects all its events in PostgreSQL, and no event that was put aside as a dead letter. */
  const endChatAndExpectAllStored = async (socket: ThawSocket, sessionId: string): Promise<void> => {
    const { seq: eventCount } = await socket.request('skip_chat', { sessionId }); // events are numbered from 1
    const storedCount = await until(
      () => countStoredEvents(sessionId),
      (count) => count >= Number(eventCount),
    );
    expect(storedCount).toBe(eventCount);
    expect(await stack.store.listKeys('*dead*')).toEqual([]);
  };

  it('are refused as ids and refs, and every event of the chat reaches PostgreSQL', async () => {
    const { ada, adaSocket, sessionId } = await startChat();
    const userId = ada.user.id;
    const message = { sessionId, content: 'hello', messageType: 'text' as const };
    const messageId = String((await adaSocket.request('random_message', message)).id);
    for (const hostile of HOSTILE_STRINGS) {
      // Appending the empty string would leave the id valid.
      const hostileMessageId = hostile === '' ? '' : `${messageId}${hostile}`;
      // A new socket each time, because a socket is closed after twenty invalid frames.
      const socket = await ada.openSocket(stack.origins[0], { sessionId, seq: 1 });
      const answers = [
        await socket.ask('random_message', { ...message, clientId: hostile }),
        await socket.ask('random_message', { ...message, sessionId: hostile }),
        await socket.ask('break_ice_start', {
          sessionId,
          gameId: hostile,
          question: { id: 1 },
          initiatorId: userId,
        }),
        await socket.ask('break_ice_ignore', { sessionId, gameId: hostile, userId }),
        await socket.ask('typing', { sessionId: hostile }),
        await socket.ask('message_reaction', {
          sessionId,
          messageId: hostileMessageId,
          emoji: '🔥',
          action: 'add',
          userId,
        }),
      ];
      for (const answer of answers) expect(answer).toMatchObject(REFUSAL);
      // The refusal of an invalid `ref` has no `ref`, so `ask` would not recognise it.
      socket.send({ event: 'random_message', data: message, ref: hostile });
      await until(() => socket.all('error').length === answers.length + 1);
      const lastFrame = socket.frames.at(-1);
      expect(lastFrame).toMatchObject(REFUSAL);
      expect(lastFrame?.ref).toBeUndefined();
      await socket.closeCleanly();
    }
    await endChatAndExpectAllStored(adaSocket, sessionId);
  });

  it('in texts and emojis keep no event of the chat from PostgreSQL', async () => {
    const { ada, adaSocket, sessionId } = await startChat();
    const userId = ada.user.id;
    const message = { sessionId, content: 'hello', messageType: 'text' as const };
    const messageId = String((await adaSocket.request('random_message', message)).id);
    for (const [index, hostile] of HOSTILE_STRINGS.entries()) {
      const content = `text ${hostile} text`;
      await adaSocket.request('random_message', { ...message, content, clientId: `ok-${index}` });
      // Refused, except with the empty string: emojis come from a closed list.
      await adaSocket.ask('message_reaction', {
        sessionId,
        messageId,
        emoji: `🔥${hostile}`,
        action: 'add',
        userId,
      });
    }
    await adaSocket.request('message_edit', { sessionId, messageId, newContent: 'hi\u0000\ud800', userId });
    await endChatAndExpectAllStored(adaSocket, sessionId);
  });

  it('are refused as answers to a question, and every event of the chat reaches PostgreSQL', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat();
    const game = { sessionId, gameId: 'game 👍' };
    await adaSocket.request('break_ice_start', { ...game, question: { id: 1 }, initiatorId: ada.user.id });
    const validResponse = findQuestionById(1)?.options[0] ?? '';
    const answer = { ...game, response: validResponse, userId: bob.user.id };
    const hostileAnswer = { ...answer, response: `${validResponse}\u0000` };
    expect(await bobSocket.ask('break_ice_response', hostileAnswer)).toMatchObject(REFUSAL);
    await bobSocket.request('break_ice_response', answer);
    await endChatAndExpectAllStored(adaSocket, sessionId);
  });
});
