// Runs against a real api replica, worker, PostgreSQL, Redis and sockets. Three methods send a frame: `request` throws
// when the answer is an error, `ask` returns every answer, and `send` does not wait for one.
import { findQuestionById } from '@thaw/contract/questions';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { matchNewVisitors, type ReceivedFrame } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';

jest.setTimeout(60_000);

/**
 * Strings that are not valid as ids: with a NUL, unpaired surrogates or control characters, some of which PostgreSQL
 * refuses; an empty string, and one longer than the maximum of 64 characters.
 */
const HOSTILE_STRINGS = ['a\u0000', 'b\ud800', '\udc00c', 'd\n', 'e\u007f', 'f\u009f', '', 'x'.repeat(65)];
/** Frames that the test sends with each hostile string as an id. */
const INVALID_FRAMES_PER_STRING = 7;

describe('hostile strings from clients', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1);
    await stack.startWorker();
  });
  afterAll(() => stack.close());

  /** Number of the chat's events in PostgreSQL. */
  const countStoredEvents = async (sessionId: string): Promise<number> => {
    const [row] = await stack.database.dataSource.query<{ count: string }[]>(
      'SELECT count(*) FROM events WHERE stream_id = $1',
      [`chat-${sessionId}`],
    );
    return Number(row?.count);
  };

  it('are refused as ids, and every event of a chat in which they were sent reaches PostgreSQL', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([
      stack.origins[0]!,
      stack.origins[0]!,
    ]);
    const message = { sessionId, content: 'hello', messageType: 'text' as const };
    const userId = ada.user.id;
    const messageId = String((await adaSocket.request('random_message', message)).id);
    const replies: ReceivedFrame[] = [];
    for (const hostile of HOSTILE_STRINGS) {
      // A new socket each time, because a socket is closed after twenty invalid frames.
      const socket = await ada.openSocket(stack.origins[0], { sessionId, seq: 1 });
      replies.push(
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
          messageId: hostile === '' ? '' : `${messageId}${hostile}`, // with '' appended, the id would be valid
          emoji: '🔥',
          action: 'add',
          userId,
        }),
      );
      // An invalid `ref` is not repeated in the refusal, so the test counts the refusals.
      socket.send({ event: 'random_message', data: message, ref: hostile });
      await until(() => socket.all('error').length === INVALID_FRAMES_PER_STRING);
      expect(socket.frames.at(-1)).toMatchObject({ event: 'error', data: { code: 'invalid_payload' } });
      expect(socket.frames.at(-1)?.ref).toBeUndefined();
      await socket.closeCleanly();
    }
    expect(replies.map(({ event, data }) => `${event} ${String(data.code)}`)).toEqual(
      replies.map(() => 'error invalid_payload'),
    );

    // Hostile characters are removed from texts, and emojis come from a closed list. So only valid strings are stored.
    for (const [index, hostile] of HOSTILE_STRINGS.entries()) {
      const content = `text ${hostile} text`;
      await adaSocket.request('random_message', { ...message, content, clientId: `ok-${index}` });
      await adaSocket.ask('message_reaction', {
        sessionId,
        messageId,
        emoji: `🔥${hostile}`,
        action: 'add',
        userId,
      });
    }
    await adaSocket.request('message_edit', { sessionId, messageId, newContent: 'hi\u0000\ud800', userId });
    const game = { sessionId, gameId: 'game 👍' };
    await adaSocket.request('break_ice_start', { ...game, question: { id: 1 }, initiatorId: userId });
    const [response = ''] = findQuestionById(1)?.options ?? []; // the only valid answers are the options
    expect(
      await bobSocket.ask('break_ice_response', {
        ...game,
        response: `${response}\u0000`,
        userId: bob.user.id,
      }),
    ).toMatchObject({ event: 'error', data: { code: 'invalid_payload' } });
    await bobSocket.request('break_ice_response', { ...game, response, userId: bob.user.id });
    // The `seq` of the last event is the number of events of the chat.
    const { seq } = await adaSocket.request('skip_chat', { sessionId });
    expect(
      await until(
        () => countStoredEvents(sessionId),
        (count) => count >= Number(seq),
      ),
    ).toBe(seq);
    // No event was put aside as a dead letter because PostgreSQL refused it.
    expect(await stack.store.listKeys('*dead*')).toEqual([]);
  });
});
