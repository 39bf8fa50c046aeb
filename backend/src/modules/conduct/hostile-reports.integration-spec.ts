// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import { limits } from '@thaw/contract/limits';
import { DataSource } from 'typeorm';
import { rateLimitKey } from '../../platform/redis/redis.keys';
import { createConnectedFriends, createPrivateMessage } from '../../testing/private-chat.fixture';
import { readEvents, startChat } from '../../testing/random-chat.fixture';
import { recordPastChat } from '../../testing/relationship.fixture';
import { fileReport, readStoredReports, readEvidenceTexts } from '../../testing/reports.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { textMessage, ThawVisitor } from '../../testing/thaw.client';
import { persistChat } from '../../testing/persisted-chat.fixture';
import { StandingsService } from '../standings/application/standings.service';
import { ReporterWeightService } from './application/reporter-weight.service';

jest.setTimeout(60_000);

const FORBIDDEN = { status: 403, body: { code: 'forbidden' } };

describe('hostile reports', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  /** A chat in which Bob has sent a message, whose id is `messageId`. */
  const startChatWithMessage = async () => {
    const chat = await startChat(stack);
    const { sessionId, bobSocket } = chat;
    const { id } = await bobSocket.request('random_message', textMessage(sessionId, 'something bad'));
    return { ...chat, messageId: String(id) };
  };

  /** The weight of further reports by a user. Reports with the weight 0 do not count. */
  const weighReportsOf = (reporter: ThawVisitor): Promise<number> =>
    stack.replicas[0]!.app.get(ReporterWeightService).weigh(reporter.user.id);

  it('a report with a malformed body is refused', async () => {
    const { ada, bob, sessionId } = await startChatWithMessage();
    const tooManyIds = Array.from({ length: limits.markedMessagesPerReport + 1 }, (_, index) => `${index}-0`);
    for (const fields of [
      { sessionId, historyId: 1 },
      { sessionId, category: 'rude' },
      { sessionId, words: 'x'.repeat(5_000) },
      { sessionId, words: 7 },
      { sessionId, messageIds: tooManyIds },
      { sessionId, messageIds: ['not an id'] },
      { sessionId, messageIds: [{ $gt: '' }] },
      { sessionId: 'x\u0000' },
      { sessionId: 'x'.repeat(65) },
      { historyId: -1 },
      { historyId: '1' },
      { sessionId, alsoBlock: 'yes' },
      { sessionId, targetId: '7' },
      { sessionId, reporterId: null },
    ]) {
      // Compared together with `fields`, so that a failure shows which body was accepted.
      expect([fields, await fileReport(ada, bob, fields)]).toMatchObject([
        fields,
        { status: 400, body: { code: 'validation_failed' } },
      ]);
    }
    expect(await readStoredReports(stack, bob)).toEqual([]);
  });

  it('a report in the name of another user is refused', async () => {
    const { ada, bob, sessionId } = await startChatWithMessage();
    const stranger = await stack.createVisitor(0);
    expect(await fileReport(stranger, bob, { reporterId: ada.user.id, sessionId })).toMatchObject(FORBIDDEN);
  });

  it('a read of the reports of another user is refused', async () => {
    const [ada, stranger] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    expect(await stranger.call('GET', `/api/reports/${ada.user.id}`)).toMatchObject(FORBIDDEN);
  });

  it('an unauthenticated report is refused', async () => {
    const { status } = await new ThawVisitor([stack.origins[0]!]).call('POST', '/api/reports', {});
    expect(status).toBe(401);
  });

  it('a report by a stranger is refused without an effect', async () => {
    const { bob, sessionId } = await startChatWithMessage();
    const strangers = [await stack.createVisitor(0), await stack.createVisitor(1)];
    for (const stranger of strangers) {
      expect((await fileReport(stranger, bob, { sessionId })).status).toBe(404);
      expect((await fileReport(stranger, bob)).status).toBe(404);
      expect((await fileReport(stranger, bob, { historyId: 1 })).status).toBe(404);
    }
    const rows = await stack.database.dataSource.query<unknown[]>(
      'SELECT 1 FROM events WHERE stream_id = $1 UNION ALL SELECT 1 FROM standings WHERE user_id = $2',
      [`conduct-${bob.user.id}`, bob.user.id],
    );
    expect(rows).toEqual([]);
  });

  it.each([
    {
      how: 'normalised: trimmed, without NUL, with lone surrogates replaced',
      words: ' a\u0000b \ud800 \r\n😀 ',
      stored: 'ab \ufffd \n😀',
    },
    { how: 'in full up to 1,000 code points', words: '😀'.repeat(1_000), stored: '😀'.repeat(1_000) },
    { how: 'as null if they are blank', words: ' \n ', stored: null },
  ])('the words of a report are stored $how', async ({ words, stored }) => {
    const { ada, bob, sessionId } = await startChatWithMessage();
    expect((await fileReport(ada, bob, { sessionId, words })).status).toBe(201);
    expect((await readStoredReports(stack, bob))[0]!.words).toBe(stored);
  });

  it('an id in `messageIds` is ignored unless it is that of a message of the reported chat', async () => {
    const { ada, bob, sessionId, messageId } = await startChatWithMessage();
    const otherChat = await startChatWithMessage();
    const [chatStarted] = await readEvents(stack, sessionId);
    const unknownIds = ['0-0', '9999999999999999-0'];
    const privateMessageId = 1; // only ids of private messages are numbers
    const messageIds = [otherChat.messageId, chatStarted!.id, ...unknownIds, privateMessageId, messageId];
    expect((await fileReport(ada, bob, { sessionId, messageIds })).status).toBe(201);
    const [report] = await readStoredReports(stack, bob);
    expect(JSON.parse(report!.evidence!)).toMatchObject({
      messages: [{ id: messageId, isMarked: true }],
      omitted: 0,
    });
  });

  it('a user can file 10 reports in an hour and 30 in a day; malformed ones do not count', async () => {
    const { ada, bob } = await startChatWithMessage();
    // History ids begin with 1, so this report is malformed.
    expect((await fileReport(ada, bob, { historyId: 0 })).status).toBe(400);
    /** Files reports about a chat that does not exist. @returns how many are admitted before a limit refuses one. */
    const reportUntilRefused = async (): Promise<number> => {
      let admittedCount = 0;
      while ((await fileReport(ada, bob, { sessionId: 'unknown' })).status !== 429) admittedCount += 1;
      return admittedCount;
    };
    /** Deletes the bucket of the hourly limit, as if an hour had passed. */
    const advanceOneHour = async () => {
      expect(await stack.store.redis.del(rateLimitKey('reports', ada.user.id))).toBe(1);
    };
    expect(await reportUntilRefused()).toBe(10);
    await advanceOneHour();
    expect(await reportUntilRefused()).toBe(10);
    await advanceOneHour();
    expect(await reportUntilRefused()).toBe(10);
    await advanceOneHour();
    expect(await reportUntilRefused()).toBe(0); // the daily limit
  });

  it('a report has weight 0 if its reporter has 5 decided reports or more, and 80% of them were dismissed', async () => {
    const ada = await stack.createVisitor(0);
    let nextReportId = 1_000_000; // above the ids of the reports that the other tests file
    const insertDecidedReport = async (outcome: 'no_violation' | 'action_taken'): Promise<void> => {
      await stack.database.dataSource.query(
        `INSERT INTO reports (id, case_id, user_id, reporter_id, counts_as, weight, category, place, chat_at,
                              created_at, event_id, decided_at, outcome)
         VALUES ($1, 1, 1, $2::bigint, $2::bigint, 1, 'spam', 'private_chat', now(),
                 now(), gen_random_uuid(), now(), $3)`,
        [nextReportId, ada.user.id, outcome],
      );
      nextReportId += 1;
    };
    for (let count = 0; count < 4; count += 1) await insertDecidedReport('no_violation');
    expect(await weighReportsOf(ada)).toBe(1); // 4 of 4 dismissed: too few are decided
    await insertDecidedReport('action_taken');
    expect(await weighReportsOf(ada)).toBe(0); // 4 of 5 dismissed: 80%
    await insertDecidedReport('action_taken');
    expect(await weighReportsOf(ada)).toBe(1); // 4 of 6 dismissed: 67%
  });

  it('a report by a suspended reporter has weight 0', async () => {
    const ada = await stack.createVisitor(0);
    expect(await weighReportsOf(ada)).toBe(1);
    await stack.database.dataSource.query(
      `INSERT INTO standings (user_id, sanction_kind, sanctioned_at) VALUES ($1, 'suspended', now())`,
      [ada.user.id],
    );
    expect(await weighReportsOf(ada)).toBe(0);
  });

  it('the reports by several accounts of one device count once', async () => {
    const [victim, otherVictim] = [await stack.createVisitor(1), await stack.createVisitor(1)];
    /** Lets three new users report the target. @returns the target's standing afterwards. */
    const reportByThree = async (
      target: ThawVisitor,
      getDeviceId: (index: number) => string,
    ): Promise<string> => {
      for (let index = 0; index < 3; index += 1) {
        const reporter = await stack.createVisitor(0);
        // A past chat permits a friend request, and a pending friend request makes the target reportable.
        await recordPastChat(stack.replicas[0]!, reporter, target);
        const request = { requesterId: reporter.user.id, addresseeId: target.user.id };
        expect((await reporter.call('POST', '/api/friends/request', request)).status).toBe(201);
        await stack.database.dataSource.query(
          'INSERT INTO devices (device_hash, user_id, first_seen_at, seen_at) VALUES ($1, $2, now(), now())',
          [getDeviceId(index), reporter.user.id],
        );
        expect((await fileReport(reporter, target)).status).toBe(201);
      }
      return (await stack.replicas[0]!.app.get(StandingsService).find(target.user.id)).kind;
    };
    // Three reports that count separately give a user the standing `care`.
    expect(await reportByThree(victim, () => 'one device')).toBe('good');
    expect(new Set((await readStoredReports(stack, victim)).map(({ countsAs }) => countsAs)).size).toBe(1);
    expect(await reportByThree(otherVictim, (index) => `device ${index}`)).toBe('care');
  });

  describe('the evidence of a report', () => {
    it('is not changed by an edit, the expiry of the chat, or the erasure of the sender', async () => {
      const { ada, bob, bobSocket, sessionId, messageId } = await startChatWithMessage();
      await fileReport(ada, bob, { sessionId });
      const before = await readStoredReports(stack, bob);
      await bobSocket.request('message_edit', {
        sessionId,
        userId: bob.user.id,
        messageId,
        newContent: 'innocent',
      });
      await bobSocket.request('skip_chat', { sessionId });
      await persistChat(stack.replicas[0]!, sessionId);
      // The expiry of a chat and the erasure of a user delete these rows.
      const dataSource = stack.replicas[0]!.app.get(DataSource);
      await dataSource.query('DELETE FROM event_private WHERE stream_id = $1 OR subject_id = $2', [
        `chat-${sessionId}`,
        bob.user.id,
      ]);
      expect(await readStoredReports(stack, bob)).toEqual(before);
      // A repeated report is answered with the existing one.
      expect((await fileReport(ada, bob, { sessionId })).status).toBe(200);
      expect(await readStoredReports(stack, bob)).toEqual(before);
      expect(readEvidenceTexts(before[0]!)).toEqual(['something bad']);
    });

    it('is not changed by the deletion of a private message', async () => {
      const { ada, bob, bobSocket } = await createConnectedFriends(stack);
      const message = createPrivateMessage({ from: bob, to: ada, content: 'privately bad' });
      const { id } = await bobSocket.request('send_private_message', message);
      await fileReport(ada, bob);
      const deletion = { receiverId: ada.user.id, senderId: bob.user.id, messageId: Number(id) };
      await bobSocket.request('delete_private_message', deletion);
      const [report] = await readStoredReports(stack, bob);
      expect(readEvidenceTexts(report!)).toEqual(['privately bad']);
    });
  });
});
