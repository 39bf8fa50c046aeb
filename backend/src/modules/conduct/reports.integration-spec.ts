// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. Ada reports Bob.
import { createHash } from 'node:crypto';
import { limits } from '@thaw/contract/limits';
import { DomainError } from '../../platform/errors/domain.errors';
import { dropLiveChat, persistChat } from '../../testing/persisted-chat.fixture';
import {
  createConnectedFriends,
  createFriends,
  createPrivateMessage,
  uploadChatImage,
} from '../../testing/private-chat.fixture';
import { startChat } from '../../testing/random-chat.fixture';
import { recordPastChat } from '../../testing/relationship.fixture';
import { fileReport, readStoredReports, readEvidenceTexts } from '../../testing/reports.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { textMessage, type ThawVisitor } from '../../testing/thaw.client';
import { BlocksService } from '../blocks/application/blocks.service';
import { ConductService } from './application/conduct.service';

jest.setTimeout(60_000);

/** 24 hours and a minute: a chat that ended this long ago can no longer be reported. */
const TOO_LONG_AGO_MS = (24 * 60 + 1) * 60_000;

describe('reports', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  /** Ada and Bob in a chat in which Bob has written. */
  const startChatWithMessage = async () => {
    const chat = await startChat(stack);
    const { sessionId, bobSocket } = chat;
    const { id } = await bobSocket.request('random_message', textMessage(sessionId, 'something bad'));
    return { ...chat, messageId: String(id) };
  };
  /** The reports that the user has filed. */
  const listOwnReports = async (reporter: ThawVisitor) =>
    (await reporter.call('GET', `/api/reports/${reporter.user.id}`)).body as unknown as object[];
  /** The id of the user's entry for this chat in the chat history. */
  const findHistoryId = async ({ user }: ThawVisitor, sessionId: string): Promise<number> => {
    const [row] = await stack.database.dataSource.query<{ id: string }[]>(
      'SELECT id FROM chat_history WHERE stream_id = $1 AND $2 IN (user1_id, user2_id)',
      [`chat-${sessionId}`, user.id],
    );
    return Number(row!.id);
  };
  const block = (blocker: ThawVisitor, { user }: ThawVisitor) =>
    blocker.call('POST', '/api/blocks', { blockerId: blocker.user.id, blockedId: user.id });

  describe('reports from a random chat', () => {
    it('contain the words of the reporter and the messages of the chat, and are listed for no other user', async () => {
      const { ada, bob, sessionId, messageId } = await startChatWithMessage();
      const fields = { sessionId, messageIds: [messageId], category: 'sexual', words: ' did not stop ' };
      const { status, body } = await fileReport(ada, bob, fields);
      expect({ status, body }).toEqual({
        status: 201,
        body: {
          id: expect.any(Number),
          category: 'sexual',
          createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
          state: 'received',
          outcome: null,
          blocked: false,
        },
      });
      expect(await listOwnReports(ada)).toEqual([body]);
      expect(await listOwnReports(bob)).toEqual([]);

      const [report] = await readStoredReports(stack, bob);
      expect(report).toMatchObject({
        reportId: body.id,
        reporterId: ada.user.id,
        countsAs: ada.user.id, // no other account of Ada's device has reported Bob
        weight: 1,
        words: 'did not stop',
        context: { where: 'random_chat', sessionId, at: expect.any(String) },
        evidenceHash: createHash('sha256').update(report!.evidence!).digest('hex'),
      });
      expect(JSON.parse(report!.evidence!)).toMatchObject({
        source: 'random_chat',
        sessionId,
        messages: [{ id: messageId, senderId: bob.user.id, versions: ['something bad'], isMarked: true }],
      });
    });

    it('keep words and evidence out of the table `events`, from which nothing is erased', async () => {
      const { ada, bob, sessionId } = await startChatWithMessage();
      await fileReport(ada, bob, { sessionId, words: 'canary words' });
      const rows = await stack.database.dataSource.query<unknown[]>(
        `SELECT 1 FROM events
         WHERE stream_id = $1 AND (data::text LIKE '%canary%' OR data::text LIKE '%something bad%')`,
        [`conduct-${bob.user.id}`],
      );
      expect(rows).toEqual([]);
    });

    it('return the first report when they are filed again, by session or by history entry', async () => {
      const { ada, bob, sessionId } = await startChatWithMessage();
      const first = await fileReport(ada, bob, { sessionId });
      expect(await fileReport(ada, bob, { sessionId, category: 'hate' })).toMatchObject({
        status: 200,
        body: first.body,
      });
      await persistChat(stack.replicas[0]!, sessionId);
      const historyId = await findHistoryId(ada, sessionId);
      expect(await fileReport(ada, bob, { historyId })).toMatchObject({ status: 200, body: first.body });
      expect(await readStoredReports(stack, bob)).toHaveLength(1);
    });

    it('send no `standing` to the reported user, even when they are filed again', async () => {
      const { ada, bob, sessionId, bobSocket } = await startChatWithMessage();
      for (const status of [201, 200])
        expect(await fileReport(ada, bob, { sessionId })).toMatchObject({ status });
      // `standing` announces restrictions. The frame of a friend request would arrive after it.
      const friendRequest = { requesterId: ada.user.id, addresseeId: bob.user.id };
      await ada.call('POST', '/api/friends/request', friendRequest);
      await bobSocket.next('friend_request');
      expect(bobSocket.all('standing')).toEqual([]);
    });

    it('are stored once when the same report is filed several times at the same moment', async () => {
      const { ada, bob, sessionId } = await startChatWithMessage();
      const responses = await Promise.all(
        Array.from({ length: 4 }, () => fileReport(ada, bob, { sessionId })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      expect(await readStoredReports(stack, bob)).toHaveLength(1);
    });

    it('can be filed from the history when Redis no longer has the chat, with the same evidence', async () => {
      const { ada, bob, sessionId, bobSocket, messageId } = await startChatWithMessage();
      await bobSocket.request('skip_chat', { sessionId });
      // Bob reports Ada while the chat is in Redis, Ada reports Bob when it is only in PostgreSQL.
      await fileReport(bob, ada, { sessionId, messageIds: [messageId] });
      await persistChat(stack.replicas[0]!, sessionId);
      await dropLiveChat(stack, sessionId);
      const historyId = await findHistoryId(ada, sessionId);
      expect(await fileReport(ada, bob, { historyId, messageIds: [messageId] })).toMatchObject({
        status: 201,
      });
      const [reportAboutAda] = await readStoredReports(stack, ada);
      const [reportAboutBob] = await readStoredReports(stack, bob);
      expect(reportAboutBob!.evidence).toBe(reportAboutAda!.evidence);
      expect(reportAboutBob!.evidenceHash).toBe(reportAboutAda!.evidenceHash);
    });

    it('are refused when the chat ended more than 24 hours ago, except for repeated reports', async () => {
      const { ada, bob, sessionId, bobSocket } = await startChatWithMessage();
      await bobSocket.request('skip_chat', { sessionId });
      const first = await fileReport(ada, bob, { sessionId });
      await persistChat(stack.replicas[0]!, sessionId, TOO_LONG_AGO_MS);
      await dropLiveChat(stack, sessionId);
      const tooLate = { status: 409, body: { code: 'too_late' } };
      expect(await fileReport(bob, ada, { sessionId })).toMatchObject(tooLate);
      expect(await fileReport(bob, ada, { historyId: await findHistoryId(bob, sessionId) })).toMatchObject(
        tooLate,
      );
      expect(await fileReport(ada, bob, { sessionId })).toMatchObject({ status: 200, body: first.body });
    });

    it('are refused about oneself, about strangers, and for chats that the reporter did not take part in', async () => {
      const { ada, bob, sessionId } = await startChatWithMessage();
      const others = await startChatWithMessage();
      await persistChat(stack.replicas[0]!, others.sessionId);
      const historyId = await findHistoryId(others.ada, others.sessionId);
      for (const [description, target, fields] of [
        ['the partner, with a chat of others', bob, { sessionId: others.sessionId }],
        ['a stranger, with a chat of others', others.bob, { sessionId: others.sessionId }],
        ['a stranger, with a chat of the reporter', others.bob, { sessionId }],
        ['a stranger, with a past chat of others', others.bob, { historyId }],
        ['oneself', ada, { sessionId }],
        ['the partner, with an unknown chat', bob, { sessionId: 'no-such-session' }],
        ['the partner, with an unknown past chat', bob, { historyId: Number.MAX_SAFE_INTEGER }],
      ] as const) {
        const { status, body } = await fileReport(ada, target, fields);
        expect([description, status, body.code]).toEqual([description, 404, 'not_found']);
      }
      expect(await listOwnReports(ada)).toEqual([]);
    });

    /** Makes the transaction of the next report fail after its last write. */
    const failNextReportTransaction = (): void => {
      const conduct = stack.replicas[0]!.app.get(ConductService);
      const storeReport = conduct.fileReport.bind(conduct);
      jest.spyOn(conduct, 'fileReport').mockImplementationOnce((request, writeAlongside) =>
        storeReport(request, async (manager, result) => {
          await writeAlongside?.(manager, result); // writes the holds
          throw new DomainError('unavailable');
        }),
      );
    };

    // A hold keeps the file of an image while moderators may need it.
    it('place holds on the files of the evidence images, in the transaction that stores the report', async () => {
      const { ada, bob, sessionId, bobSocket } = await startChatWithMessage();
      const imageUrl = await uploadChatImage(stack.replicas[1]!, bob);
      await bobSocket.request('random_message', { sessionId, content: imageUrl, messageType: 'image' });
      const fileKey = imageUrl.replace('/api/files/chat-images/', '');
      const readUploadHolds = () =>
        stack.database.dataSource.query<unknown[]>('SELECT key FROM upload_holds WHERE key = $1', [fileKey]);
      failNextReportTransaction();
      expect((await fileReport(ada, bob, { sessionId })).status).toBe(503);
      expect([await readUploadHolds(), await readStoredReports(stack, bob)]).toEqual([[], []]);
      expect((await fileReport(ada, bob, { sessionId })).status).toBe(201);
      expect(await readUploadHolds()).toHaveLength(1);
    });
  });

  describe('reports that name no chat', () => {
    it('are about the private chat with a friend', async () => {
      const { ada, bob, bobSocket } = await createConnectedFriends(stack);
      const message = createPrivateMessage({ from: bob, to: ada, content: 'privately bad' });
      const { id } = await bobSocket.request('send_private_message', message);
      expect(await fileReport(ada, bob, { messageIds: [Number(id)] })).toMatchObject({ status: 201 });
      expect(await fileReport(ada, bob)).toMatchObject({ status: 200 });
      const [report] = await readStoredReports(stack, bob);
      expect(report!.context).toMatchObject({ where: 'private_chat' });
      expect(readEvidenceTexts(report!)).toEqual(['privately bad']);
    });

    it('are accepted about users with whom a friend request is pending, in both directions', async () => {
      const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
      await recordPastChat(stack.replicas[0]!, ada, bob);
      const request = { requesterId: ada.user.id, addresseeId: bob.user.id };
      expect((await ada.call('POST', '/api/friends/request', request)).status).toBe(201);
      expect((await fileReport(ada, bob)).status).toBe(201);
      expect((await fileReport(bob, ada)).status).toBe(201);
    });

    describe('after a friendship that ended 25 hours ago', () => {
      /** Ends the friendship of Ada and Bob 25 hours ago, although Bob has only just written to Ada. */
      const createFormerFriends = async () => {
        const { ada, bob, bobSocket } = await createConnectedFriends(stack);
        const message = createPrivateMessage({ from: bob, to: ada, content: 'x' });
        await bobSocket.request('send_private_message', message);
        expect((await bob.call('DELETE', `/api/friends/${bob.user.id}/${ada.user.id}`)).status).toBe(204);
        // A trigger forbids changes of events.
        await stack.database.dataSource.query(
          `ALTER TABLE events DISABLE TRIGGER events_are_append_only;
           UPDATE events SET occurred_at = now() - interval '25 hours'
           WHERE stream_id LIKE 'friendship-%${ada.user.id}%';
           ALTER TABLE events ENABLE TRIGGER events_are_append_only`,
        );
        return { ada, bob };
      };

      it('are refused, unless the other user wrote in the last 24 hours', async () => {
        const { ada, bob } = await createFormerFriends();
        expect((await fileReport(ada, bob)).status).toBe(201);
        expect(await fileReport(bob, ada)).toMatchObject({ status: 409, body: { code: 'too_late' } });
      });

      it('are refused when the last message is as old and the first report is decided', async () => {
        const { ada, bob } = await createFormerFriends();
        expect((await fileReport(ada, bob)).status).toBe(201);
        await stack.database.dataSource.query(
          `UPDATE private_messages SET created_at = now() - interval '25 hours' WHERE receiver_id = $1`,
          [ada.user.id],
        );
        // While the first report is undecided, a repeated call would return it.
        await stack.database.dataSource.query('UPDATE reports SET decided_at = now() WHERE user_id = $1', [
          bob.user.id,
        ]);
        expect(await fileReport(ada, bob)).toMatchObject({ status: 409, body: { code: 'too_late' } });
      });
    });

    it('are refused about strangers, oneself and unknown users', async () => {
      const [ada, stranger] = [await stack.createVisitor(0), await stack.createVisitor(1)];
      for (const other of [stranger, ada, { user: { id: Number.MAX_SAFE_INTEGER } }])
        expect(await fileReport(ada, other)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await readStoredReports(stack, stranger)).toEqual([]);
    });

    it('are refused as too late about partners of past random chats, with whom there is no private chat', async () => {
      const [ada, partner] = [await stack.createVisitor(0), await stack.createVisitor(1)];
      await recordPastChat(stack.replicas[0]!, ada, partner);
      expect(await fileReport(ada, partner)).toMatchObject({ status: 409, body: { code: 'too_late' } });
      expect(await readStoredReports(stack, partner)).toEqual([]);
    });
  });

  describe('reports and blocks', () => {
    it('reports from a random chat can be filed by both sides of a block', async () => {
      const { ada, bob, sessionId } = await startChatWithMessage();
      await block(ada, bob);
      expect(await fileReport(ada, bob, { sessionId })).toMatchObject({
        status: 201,
        body: { blocked: true },
      });
      expect(await fileReport(bob, ada, { sessionId })).toMatchObject({
        status: 201,
        body: { blocked: false },
      });
    });

    it('reports about a friend can be filed by both sides of a block', async () => {
      const { ada, bob } = await createFriends(stack);
      await block(ada, bob);
      expect((await fileReport(ada, bob)).status).toBe(201);
      expect((await fileReport(bob, ada)).status).toBe(201);
    });

    it('a report with `alsoBlock` also blocks the reported user, which ends the chat', async () => {
      const { ada, bob, sessionId, bobSocket } = await startChatWithMessage();
      expect(await fileReport(ada, bob, { sessionId, alsoBlock: true })).toMatchObject({
        status: 201,
        body: { blocked: true },
      });
      expect(await bobSocket.next('chat_skipped')).toMatchObject({ reason: 'skipped', endedBy: ada.user.id });
      expect(await listOwnReports(ada)).toMatchObject([{ blocked: true }]);
    });

    it('a report is kept when the list of blocked users is full', async () => {
      const { ada, bob, sessionId } = await startChatWithMessage();
      // The blocked users need not exist.
      await stack.database.dataSource.query(
        `INSERT INTO blocks (blocker_id, blocked_id, created_at)
         SELECT $1::bigint, $1::bigint + 1000000 + n, now() FROM generate_series(1, $2::int) AS n`,
        [ada.user.id, limits.blockedUsersMax],
      );
      expect(await fileReport(ada, bob, { sessionId, alsoBlock: true })).toMatchObject({
        status: 201,
        body: { blocked: false },
      });
    });

    it('a report is kept when the block fails, and a repeated call blocks the user', async () => {
      const { ada, bob, sessionId } = await startChatWithMessage();
      const blocks = stack.replicas[0]!.app.get(BlocksService);
      jest.spyOn(blocks, 'block').mockRejectedValueOnce(new DomainError('unavailable'));
      expect((await fileReport(ada, bob, { sessionId, alsoBlock: true })).status).toBe(503);
      expect(await readStoredReports(stack, bob)).toHaveLength(1);
      expect(await fileReport(ada, bob, { sessionId, alsoBlock: true })).toMatchObject({
        status: 200,
        body: { blocked: true },
      });
      expect(await readStoredReports(stack, bob)).toHaveLength(1);
    });
  });
});
