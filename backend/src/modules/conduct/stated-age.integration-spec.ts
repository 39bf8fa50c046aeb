// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. Ada states an age under 18 in a chat
// with Bob.
import { randomUUID } from 'node:crypto';
import type { Notice } from '@thaw/contract/safety';
import { persistChat } from '../../testing/persisted-chat.fixture';
import { readQueueState, startChat } from '../../testing/random-chat.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { textMessage, type ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { JobHandlerRegistry } from '../../platform/queue/job-handler.registry';
import { JobQueueService } from '../../platform/queue/job-queue.service';
import { matchingKeys } from '../../platform/redis/redis.keys';
import { ChatLogRepository } from '../../platform/hot-log/chat-log.repository';
import { AgeFindingsService } from './application/age-findings.service';
import { ConductService } from './application/conduct.service';
import { FindingRepository } from './infrastructure/finding.repository';
import { FindingsProcessor } from './jobs/findings.processor';

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
  /** @returns the status of the response. */
  const sendFriendRequest = async (from: ThawVisitor, to: ThawVisitor): Promise<number> => {
    const body = { requesterId: from.user.id, addresseeId: to.user.id };
    return (await from.call('POST', '/api/friends/request', body)).status;
  };
  const readStanding = async (caller: ThawVisitor) =>
    ((await caller.call('GET', `/api/user/${caller.user.id}`)).body as { standing: object }).standing;
  const answerQuestion = (caller: ThawVisitor, noticeId: number, answer: 'adult' | 'minor') =>
    caller.call('PUT', `/api/notices/${noticeId}`, { seen: true, answer });
  /** The findings about a user, each with the kind of its case. */
  const readFindings = ({ user }: ThawVisitor) =>
    stack.database.dataSource.query<{ evidence: string; hash: string; endEventId: string; kind: string }[]>(
      `SELECT p.data->>'evidence' AS evidence, e.data->>'evidenceHash' AS hash,
              e.data->>'sourceEventId' AS "endEventId", c.kind
       FROM events e JOIN event_private p USING (stream_id, event_id)
       JOIN conduct_cases c ON c.id = (e.data->>'caseId')::bigint
       WHERE e.stream_id = $1 AND e.type = 'FindingRaised'`,
      [`conduct-${user.id}`],
    );
  /** The events of a chat in Redis, as JSON. */
  const readEntries = async (sessionId: string): Promise<string[]> =>
    (await stack.replicas[0]!.app.get(ChatLogRepository).read(sessionId)).map(({ text }) => text);
  const createProcessor = (): FindingsProcessor => {
    const { app } = stack.replicas[0]!;
    return new FindingsProcessor(
      new FindingRepository(stack.database.dataSource),
      app.get(AgeFindingsService),
      new JobHandlerRegistry(),
      app.get(JobQueueService),
    );
  };
  /** Makes every replica fail to raise a finding. */
  const failToRaise = () => {
    for (const { app } of stack.replicas)
      jest.spyOn(app.get(ConductService), 'raiseFinding').mockRejectedValue(new Error('PostgreSQL is away'));
  };

  it('ends the chat as if a connection were lost, forbids friend requests and asks the sender for their age', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat(stack);
    expect(await sendFriendRequest(bob, ada)).toBe(201);
    const { id } = await adaSocket.request('random_message', textMessage(sessionId, 'hey im 15'));
    // `seq` counts the events of the chat, of which the first is its start.
    expect(await bobSocket.next('random_message')).toMatchObject({ id, content: 'hey im 15', seq: 2 });
    // The users do not learn the reason.
    const end = { sessionId, seq: 3, reason: 'disconnected', endedBy: null };
    expect(await bobSocket.next('chat_skipped')).toEqual(end);
    expect(await adaSocket.next('chat_skipped')).toEqual(end);
    expect(await adaSocket.next('standing')).toMatchObject({ kind: 'age_question' });
    const { id: noticeId } = await adaSocket.next('notice');
    // Neither user is searching or chatting.
    await until(
      async () =>
        (await readQueueState(stack, ada)) === undefined && (await readQueueState(stack, bob)) === undefined,
    );
    // The earlier friend request is void, and neither user can send another one.
    expect((await ada.call('GET', `/api/friends/requests/${ada.user.id}`)).body).toEqual([]);
    expect([await sendFriendRequest(bob, ada), await sendFriendRequest(ada, bob)]).toEqual([404, 404]);
    const [, , endEntry] = await readEntries(sessionId);
    // An entry has the type `t` and the data `d` of its event, here with the real reason. A null `messageId` means the
    // newest message.
    expect(JSON.parse(endEntry!)).toMatchObject({
      t: 'ChatEnded',
      d: {
        reason: 'removed',
        endedBy: null,
        finding: { kind: 'stated_age', userId: ada.user.id, messageId: null },
      },
    });
    expect(endEntry).not.toContain('im 15');

    const [finding, ...otherFindings] = await readFindings(ada);
    expect(otherFindings).toEqual([]);
    expect(finding).toMatchObject({ kind: 'finding', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.parse(finding!.evidence)).toMatchObject({
      source: 'random_chat',
      sessionId,
      messages: [{ senderId: ada.user.id, versions: ['hey im 15'], isMarked: true }],
    });
    expect(await readNotices(bob)).toEqual([]);
    expect(await readStanding(bob)).toMatchObject({ kind: 'good' });

    // `suspended` is the error code for every user who may not search, also for one with an open age question.
    await expect(adaSocket.request('join_queue', {})).rejects.toThrow('suspended');
    expect(await answerQuestion(ada, Number(noticeId), 'adult')).toMatchObject({ status: 200 });
    expect(await readStanding(ada)).toMatchObject({ kind: 'good' });
    await adaSocket.request('join_queue', {});
    await adaSocket.request('leave_queue', {});

    // After the key in Redis has expired, the stored end of the chat still forbids friend requests.
    await persistChat(stack.replicas[0]!, sessionId);
    await stack.store.redis.del(matchingKeys.recentPartners(ada.user.id, bob.user.id));
    expect([await sendFriendRequest(bob, ada), await sendFriendRequest(ada, bob)]).toEqual([404, 404]);
    const { body: history } = await bob.call('GET', `/api/chat-history/${bob.user.id}`);
    expect(history).toMatchObject([{ mayBecomeFriends: false }]);

    // When the messages of the chat expire, an event follows `ChatEnded`. Friend requests remain forbidden.
    const messagesExpired = {
      eventId: randomUUID(),
      type: 'BodiesExpired',
      data: {},
      occurredAt: new Date(),
    };
    await stack.replicas[0]!.app.get(EventStoreRepository).append(`chat-${sessionId}`, 'any', [
      messagesExpired,
    ]);
    expect(await sendFriendRequest(bob, ada)).toBe(404);
    const { body: laterHistory } = await bob.call('GET', `/api/chat-history/${bob.user.id}`);
    expect(laterHistory).toMatchObject([{ mayBecomeFriends: false }]);
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
    const [finding] = await readFindings(ada);
    expect(JSON.parse(finding!.evidence)).toMatchObject({
      messages: [{ versions: ['im 51', 'im 15'], isMarked: true }, { isMarked: false }],
    });
    await answerQuestion(ada, question!.id, 'minor');
    expect(await readStanding(ada)).toMatchObject({ kind: 'suspended', until: null });
  });

  it('leads to one finding, which the worker raises when the replica could not', async () => {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await startChat(stack);
    failToRaise();
    await adaSocket.request('random_message', textMessage(sessionId, '14f'));
    await bobSocket.next('chat_skipped');
    await until(async () => (await readQueueState(stack, ada)) === undefined);
    expect(await readFindings(ada)).toEqual([]);
    jest.restoreAllMocks();
    await persistChat(stack.replicas[0]!, sessionId);

    // `run` returns the number of findings that it raised.
    expect(await createProcessor().run()).toBe(1);
    expect(await adaSocket.next('standing')).toMatchObject({ kind: 'age_question' });
    const [finding] = await readFindings(ada);
    expect(JSON.parse(finding!.evidence)).toMatchObject({
      messages: [{ versions: ['14f'], isMarked: true }],
    });
    expect(await createProcessor().run()).toBe(0);
    // Nothing changes when a replica raises the finding after the worker.
    await stack.replicas[0]!.app.get(AgeFindingsService).raise({
      sessionId,
      userIds: [ada.user.id, bob.user.id],
      userId: ada.user.id,
      messageId: null,
      endEventId: finding!.endEventId,
    });
    expect(await readFindings(ada)).toHaveLength(1);
  });
});
