// Uses real PostgreSQL and Redis, two api replicas over HTTP and sockets, and an HTTP server in place of the language
// model. Words that begin with `canary` show whose texts reach the model or the log.
import { Logger } from '@nestjs/common';
import {
  failingBehaviours,
  answerWithLines,
  startTestLanguageModel,
  type TestLanguageModel,
} from '../../testing/language-model.harness';
import { createFriends, createPrivateMessage } from '../../testing/private-chat.fixture';
import { startChat } from '../../testing/random-chat.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { textMessage, type ThawVisitor } from '../../testing/thaw.client';

jest.setTimeout(60_000);

const MODEL_TIMEOUT_MS = 400;
/** Time that a response may take in addition to the timeout of the model. */
const TOLERANCE_MS = 500;
const noSuggestions = { source: 'none', suggestions: [] };

describe('suggestions of a language model', () => {
  let stack: TestStack;
  let model: TestLanguageModel;

  // Only the second replica, which serves Bob and the strangers (`createVisitor(1)`), has a model.
  beforeAll(async () => {
    [stack, model] = await Promise.all([startTestStack(1), startTestLanguageModel()]);
    await stack.addReplica({
      SUGGESTIONS_URL: model.url,
      SUGGESTIONS_MODEL: 'small',
      SUGGESTIONS_API_KEY: 'key-1',
      SUGGESTIONS_TIMEOUT_MS: String(MODEL_TIMEOUT_MS),
    });
  });
  afterAll(async () => {
    await stack.close();
    await model.close();
  });
  beforeEach(() => {
    model.receivedRequests.length = 0;
  });

  /** @param fields `sessionId` of a random chat or `friendId` of a private one; may replace other fields of the body */
  const requestSuggestions = (asker: ThawVisitor, fields: object) =>
    asker.call('POST', '/api/suggestions', { userId: asker.user.id, consent: true, ...fields });
  const expectNoSuggestions = async (asker: ThawVisitor, sessionId: string) => {
    const { status, body } = await requestSuggestions(asker, { sessionId });
    expect(status).toBe(200);
    expect(body).toEqual(noSuggestions);
  };

  it('are refused as not found by a replica without a model', async () => {
    const { ada, bob, sessionId } = await startChat(stack);
    expect((await ada.call('GET', '/api/suggestions')).body).toEqual({ model: false, host: null });
    expect(await requestSuggestions(ada, { sessionId })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect((await bob.call('GET', '/api/suggestions')).body).toEqual({ model: true, host: model.host });
    expect(model.receivedRequests).toEqual([]);
  });

  it("are based on the user's own texts and the topics of the other user in a random chat", async () => {
    // Lines with contact data are not usable as suggestions.
    model.setBehaviour(answerWithLines('Tea or coffee?', 'Visit example.com', 'Why?'));
    const { ada, adaSocket, bob, bobSocket, sessionId } = await startChat(stack);
    await adaSocket.request('random_message', textMessage(sessionId, 'canaryofada plays the guitar'));
    const { id } = await bobSocket.request(
      'random_message',
      textMessage(sessionId, 'I am shy, bob@example.org'),
    );
    await bobSocket.request('message_edit', {
      sessionId,
      messageId: String(id),
      newContent: `canaryofbob writes to ${ada.user.username} and bob@example.org`,
      userId: bob.user.id,
    });
    expect(await requestSuggestions(bob, { sessionId })).toMatchObject({
      status: 200,
      body: { source: 'model', suggestions: ['Tea or coffee?', 'Why?'] },
    });
    expect(model.receivedRequests).toHaveLength(1);
    const { body = '', headers } = model.receivedRequests[0] ?? {};
    expect(body).toContain('canaryofbob writes to [hidden] and [hidden]');
    expect(body).toContain('Topics of the other user: music.'); // found in `plays the guitar`
    // The edit has replaced 'I am shy'.
    for (const absent of ['canaryofada', 'I am shy', ada.user.username, bob.user.username, sessionId])
      expect(body).not.toContain(absent);
    expect(body).not.toContain(String(ada.user.id));
    expect(body).not.toContain(String(bob.user.id));
    expect(headers?.cookie).toBeUndefined();
  });

  it('are available in private chats with friends only', async () => {
    model.setBehaviour(answerWithLines('And the film?'));
    const { ada, bob } = await createFriends(stack);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    await adaSocket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content: 'canaryofada at the cinema' }),
    );
    await bobSocket.request(
      'send_private_message',
      createPrivateMessage({ from: bob, to: ada, content: 'canaryofbob' }),
    );
    expect((await requestSuggestions(bob, { friendId: ada.user.id })).body).toEqual({
      source: 'model',
      suggestions: ['And the film?'],
    });
    expect(model.receivedRequests[0]?.body).toContain('canaryofbob');
    expect(model.receivedRequests[0]?.body).toContain('films'); // the topic found in `at the cinema`
    expect(model.receivedRequests[0]?.body).not.toContain('canaryofada');
    const stranger = await stack.createVisitor(1);
    expect(await requestSuggestions(stranger, { friendId: ada.user.id })).toMatchObject({
      status: 403,
      body: { code: 'not_friends' },
    });
  });

  it('are refused without consent, and unless exactly one chat is named', async () => {
    const { bob, sessionId } = await startChat(stack);
    for (const consent of [false, undefined, 'yes'])
      expect((await requestSuggestions(bob, { sessionId, consent })).status).toBe(400);
    expect((await requestSuggestions(bob, {})).status).toBe(400);
    expect((await requestSuggestions(bob, { sessionId, friendId: 7 })).status).toBe(400);
    expect(model.receivedRequests).toEqual([]);
  });

  it('are refused to users who are not in the chat, and after the chat', async () => {
    const { bob, bobSocket, sessionId } = await startChat(stack);
    const stranger = await stack.createVisitor(1);
    expect((await requestSuggestions(stranger, { sessionId })).status).toBe(404);
    await bobSocket.request('skip_chat', { sessionId });
    expect((await requestSuggestions(bob, { sessionId })).status).toBe(404);
    expect(model.receivedRequests).toEqual([]);
  });

  it('are limited to six requests per minute and user, even with the rate limits of load tests', async () => {
    // The test stack uses the rate limits of load tests.
    model.setBehaviour(answerWithLines('Tea or coffee?'));
    const { bob, sessionId } = await startChat(stack);
    const responses = [];
    for (let count = 0; count < 7; count += 1) responses.push(await requestSuggestions(bob, { sessionId }));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(Number(responses[6]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(model.receivedRequests).toHaveLength(6);
  });

  // Must be the last test: after it, the replica does not ask the model for five minutes.
  it('are empty when the model fails; after three failures it is not asked, and no text of a user is logged', async () => {
    const { bob, bobSocket, sessionId } = await startChat(stack);
    const otherChat = await startChat(stack);
    await bobSocket.request('random_message', textMessage(sessionId, 'canaryofthelog'));
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    // An answer without a usable line is not a failure.
    model.setBehaviour(answerWithLines('Only contacts: example.com'));
    await expectNoSuggestions(bob, sessionId);
    for (const name of ['never answers', 'answers HTML', 'answers 500']) {
      model.setBehaviour(failingBehaviours[name]!.behaviour);
      const startedAt = performance.now();
      await expectNoSuggestions(bob, sessionId);
      expect(performance.now() - startedAt).toBeLessThan(MODEL_TIMEOUT_MS + TOLERANCE_MS);
    }
    // From here on, the model would answer, but the replica does not ask it, in any chat.
    model.setBehaviour(answerWithLines('Tea or coffee?'));
    await expectNoSuggestions(bob, sessionId);
    await expectNoSuggestions(otherChat.bob, otherChat.sessionId);
    // The unusable answer and three failures.
    expect(model.receivedRequests).toHaveLength(4);
    const lines = warn.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('model'));
    expect(lines).toEqual(['The language model has failed 3 times in a row: status 500']);
    expect(warn.mock.calls.map(String).join('\n')).not.toContain('canaryofthelog');
  });
});
