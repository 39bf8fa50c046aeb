// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. Ada states an age under 18 in a chat
// with Bob. The chat ends, and a finding about Ada is raised: it opens a case with the messages as evidence.
import { randomUUID } from 'node:crypto';
import type { Notice } from '@thaw/contract/safety';
import { persistChat } from '../../testing/persisted-chat.fixture';
import { startChat, type TestChat } from '../../testing/random-chat.fixture';
import {
  failToRaiseFindings,
  raiseMissedFindings,
  readFindings,
  stateAge,
} from '../../testing/stated-age.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { textMessage, type ThawVisitor } from '../../testing/thaw.client';
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { matchingKeys } from '../../platform/redis/redis.keys';
import { ChatLogRepository } from '../../platform/hot-log/chat-log.repository';
import { AgeFindingsService } from './application/age-findings.service';

jest.setTimeout(60_000);

describe('a stated age under 18', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const readNotices = async (caller: ThawVisitor): Promise<Notice[]> =>
    (await caller.call('GET', `/api/notices/${caller.user.id}`)).body as unknown as Notice[];
  const readStanding = async (caller: ThawVisitor) =>
    ((await caller.call('GET', `/api/user/${caller.user.id}`)).body as { standing: object }).standing;
  const answerQuestion = (caller: ThawVisitor, noticeId: number, answer: 'adult' | 'minor') =>
    caller.call('PUT', `/api/notices/${noticeId}`, { seen: true, answer });
  /** The events of a chat in Redis, as JSON. */
  const readEntries = async (sessionId: string): Promise<string[]> =>
    (await stack.replicas[0]!.app.get(ChatLogRepository).read(sessionId)).map(({ text }) => text);

  it('ends the chat as if a connection were lost, so that the users do not learn the reason', async () => {
    const chat = await startChat(stack);
    const { ada, adaSocket, bobSocket, sessionId } = chat;
    const { messageId } = await stateAge(stack, chat, 'hey im 15');
    // `seq` counts the events of the chat, of which the first is its start.
    expect(await bobSocket.next('random_message')).toMatchObject({
      id: messageId,
      content: 'hey im 15',
      seq: 2,
    });
    const end = { sessionId, seq: 3, reason: 'disconnected', endedBy: null };
    expect(await bobSocket.next('chat_skipped')).toEqual(end);
    expect(await adaSocket.next('chat_skipped')).toEqual(end);

    // Only the stored event has the real reason. It contains no text of the chat.
    const [, , endEntry] = await readEntries(sessionId);
    expect(JSON.parse(endEntry!)).toMatchObject({
      // The short keys of chat-event.codec.ts: type and data.
      t: 'ChatEnded',
      d: {
        reason: 'removed',
        endedBy: null,
        // null: the newest message states the age.
        finding: { kind: 'stated_age', userId: ada.user.id, messageId: null },
      },
    });
    expect(endEntry).not.toContain('im 15');
  });

  it('asks only the sender for their age, who cannot search until they answer that they are an adult', async () => {
    const chat = await startChat(stack);
    const { ada, bob, adaSocket } = chat;
    await stateAge(stack, chat, 'hey im 15');
    expect(await adaSocket.next('standing')).toMatchObject({ kind: 'age_question' });
    const { id: noticeId } = await adaSocket.next('notice');
    expect(await readNotices(bob)).toEqual([]);
    expect(await readStanding(bob)).toMatchObject({ kind: 'good' });

    // `suspended` is the error code for every user who may not search, also for one with an open age question.
    await expect(adaSocket.request('join_queue', {})).rejects.toThrow('suspended');
    expect(await answerQuestion(ada, Number(noticeId), 'adult')).toMatchObject({ status: 200 });
    expect(await readStanding(ada)).toMatchObject({ kind: 'good' });
    await adaSocket.request('join_queue', {});
    await adaSocket.request('leave_queue', {});
  });

  describe('when the partner has sent a friend request', () => {
    let chat: TestChat;

    /** @returns the status of the response. */
    const sendFriendRequest = async (from: ThawVisitor, to: ThawVisitor): Promise<number> => {
      const body = { requesterId: from.user.id, addresseeId: to.user.id };
      return (await from.call('POST', '/api/friends/request', body)).status;
    };
    const expectFriendRequestsForbidden = async (): Promise<void> => {
      const { ada, bob } = chat;
      expect([await sendFriendRequest(bob, ada), await sendFriendRequest(ada, bob)]).toEqual([404, 404]);
    };
    const expectForbiddenInHistory = async (): Promise<void> => {
      const { bob } = chat;
      const { body: history } = await bob.call('GET', `/api/chat-history/${bob.user.id}`);
      expect(history).toMatchObject([{ mayBecomeFriends: false }]);
    };
    /** Writes the chat to PostgreSQL, and deletes the mark in Redis that forbids requests for ten minutes. */
    const persistAndForgetInRedis = async (): Promise<void> => {
      const { ada, bob, sessionId } = chat;
      await persistChat(stack.replicas[0]!, sessionId);
      await stack.store.redis.del(matchingKeys.recentPartners(ada.user.id, bob.user.id));
    };

    beforeEach(async () => {
      chat = await startChat(stack);
      expect(await sendFriendRequest(chat.bob, chat.ada)).toBe(201);
      await stateAge(stack, chat, 'hey im 15');
      await chat.adaSocket.next('notice'); // the finding has been raised
    });

    it('voids this request and forbids new ones', async () => {
      const { ada } = chat;
      expect((await ada.call('GET', `/api/friends/requests/${ada.user.id}`)).body).toEqual([]);
      await expectFriendRequestsForbidden();
    });

    it('still forbids requests when the mark in Redis has expired and PostgreSQL has the end of the chat', async () => {
      await persistAndForgetInRedis();
      await expectFriendRequestsForbidden();
      await expectForbiddenInHistory();
    });

    it('still forbids requests when the end is not the last event, because the messages have expired since', async () => {
      await persistAndForgetInRedis();
      const messagesExpired = {
        eventId: randomUUID(),
        type: 'BodiesExpired',
        data: {},
        occurredAt: new Date(),
      };
      const eventStore = stack.replicas[0]!.app.get(EventStoreRepository);
      await eventStore.append(`chat-${chat.sessionId}`, 'any', [messagesExpired]);
      await expectFriendRequestsForbidden();
      await expectForbiddenInHistory();
    });
  });

  it('leads to one finding, with the message as evidence', async () => {
    const chat = await startChat(stack);
    const { ada, adaSocket, sessionId } = chat;
    await stateAge(stack, chat, 'hey im 15');
    await adaSocket.next('notice'); // the finding has been raised
    const [finding, ...otherFindings] = await readFindings(stack, ada);
    expect(otherFindings).toEqual([]);
    expect(finding).toMatchObject({
      caseKind: 'finding',
      evidenceHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.parse(finding!.evidence)).toMatchObject({
      source: 'random_chat',
      sessionId,
      messages: [{ senderId: ada.user.id, versions: ['hey im 15'], isMarked: true }],
    });
  });

  it('marks the edited message in the evidence if an edit states the age, and suspends a user who confirms it', async () => {
    const { ada, adaSocket, sessionId } = await startChat(stack);
    const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'im 51'));
    await adaSocket.request('random_message', textMessage(sessionId, 'oops'));
    const { seq } = await adaSocket.request('message_edit', {
      sessionId,
      messageId: String(id),
      newContent: 'im 15',
      userId: ada.user.id,
    });
    // The start of the chat and two messages precede the edit.
    expect(seq).toBe(4);
    await adaSocket.next('notice');
    const [question] = await readNotices(ada);
    const [finding] = await readFindings(stack, ada);
    expect(JSON.parse(finding!.evidence)).toMatchObject({
      messages: [{ versions: ['im 51', 'im 15'], isMarked: true }, { isMarked: false }],
    });
    await answerQuestion(ada, question!.id, 'minor');
    expect(await readStanding(ada)).toMatchObject({ kind: 'suspended', until: null });
  });

  it('leads to one finding when the replica fails to raise it and the worker raises it later', async () => {
    const chat = await startChat(stack);
    const { ada, bob, adaSocket, sessionId } = chat;
    failToRaiseFindings(stack);
    await stateAge(stack, chat, '14f');
    expect(await readFindings(stack, ada)).toEqual([]);
    jest.restoreAllMocks();
    await persistChat(stack.replicas[0]!, sessionId);

    expect(await raiseMissedFindings(stack)).toBe(1);
    expect(await adaSocket.next('standing')).toMatchObject({ kind: 'age_question' });
    const [finding] = await readFindings(stack, ada);
    expect(JSON.parse(finding!.evidence)).toMatchObject({
      messages: [{ versions: ['14f'], isMarked: true }],
    });
    expect(await raiseMissedFindings(stack)).toBe(0);
    // Nothing changes when a replica raises the finding after the worker.
    await stack.replicas[0]!.app.get(AgeFindingsService).raise({
      sessionId,
      userIds: [ada.user.id, bob.user.id],
      userId: ada.user.id,
      messageId: null,
      endEventId: finding!.endEventId,
    });
    expect(await readFindings(stack, ada)).toHaveLength(1);
  });
});
