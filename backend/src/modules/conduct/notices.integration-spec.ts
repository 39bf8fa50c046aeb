// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import { randomUUID } from 'node:crypto';
import { limits } from '@thaw/contract/limits';
import type { Notice } from '@thaw/contract/safety';
import { decide, findEvent, fileReport, warn } from '../../testing/conduct.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { ConductService } from './application/conduct.service';

jest.setTimeout(60_000);

/** Differs from the moderator of `decide`, who may not decide an appeal against their own decision. */
const OTHER_MODERATOR_ID = 2;
/** The id of a notice that belongs to another user or does not exist. */
const FOREIGN_NOTICE_ID = 1;
const APPEALS_PER_DAY = 5;

describe('notices', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  const getReplica = () => stack.replicas[0]!;
  const getConduct = () => getReplica().app.get(ConductService);
  const readNotices = async (caller: ThawVisitor): Promise<Notice[]> =>
    (await caller.call('GET', `/api/notices/${caller.user.id}`)).body as unknown as Notice[];
  /** Marks a notice as seen and, with `answer`, answers its question. */
  const markSeen = (caller: ThawVisitor, noticeId: number, answer?: string) =>
    caller.call('PUT', `/api/notices/${noticeId}`, { seen: true, answer });
  const fileAppeal = (caller: ThawVisitor, noticeId: number, words = 'It was a joke.') =>
    caller.call('POST', '/api/appeals', { userId: caller.user.id, noticeId, words });
  /**
   * Suspends the target for a week, in a case that a report opens.
   * @returns the data of the sanction
   */
  const suspend = async (target: ThawVisitor, reporter: ThawVisitor) => {
    const filed = await fileReport(getReplica(), target.user.id, reporter.user.id);
    const decision = await decide(getReplica(), target.user.id, filed, 'suspended');
    return findEvent(decision, 'SanctionImposed').data;
  };
  /** Reads the version of the user's conduct stream. Every case of the user has it, so `max` only picks one of them. */
  const readVersion = async (userId: number): Promise<number> => {
    const [{ version }] = await stack.database.dataSource.query<[{ version: number }]>(
      'SELECT max(version) AS version FROM conduct_cases WHERE user_id = $1',
      [userId],
    );
    return version;
  };
  const readCaseState = async (caseId: number): Promise<string> => {
    const [{ state }] = await stack.database.dataSource.query<[{ state: string }]>(
      'SELECT state FROM conduct_cases WHERE id = $1',
      [caseId],
    );
    return state;
  };
  const decideAppeal = async (target: ThawVisitor, appealId: number, outcome: 'upheld' | 'reversed') => {
    const seenVersion = await readVersion(target.user.id);
    return getConduct().decideAppeal({
      userId: target.user.id,
      moderatorId: OTHER_MODERATOR_ID,
      excludedModeratorIds: [],
      isOnlyModerator: false,
      appealId,
      version: seenVersion,
      outcome,
      until: null,
      answer: 'We have looked at it once more.',
    });
  };

  it('explain a suspension and the possible appeal to the suspended user, and the outcome to the reporter', async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    const { until: suspendedUntil, noticeId } = await suspend(ada, bob);
    const notice = (await readNotices(ada))[0]!;
    // The fixtures `fileReport` and `decide` set `rule`, `facts` and `about`.
    expect(notice).toEqual({
      id: noticeId,
      kind: 'suspension',
      createdAt: expect.stringMatching(/Z$/),
      seenAt: null,
      rule: 'no_hate',
      facts: 'You insulted your partner.',
      about: { where: 'random_chat', at: '2026-11-20T12:00:00.000Z' },
      decidedBy: 'moderator',
      from: notice.createdAt,
      until: suspendedUntil,
      appeal: { state: 'possible', until: expect.any(String), outcome: null, answer: null },
      report: null,
    });
    const appealableMs = Date.parse(notice.appeal.until ?? '') - Date.parse(notice.createdAt);
    expect(appealableMs).toBe(limits.appealWithinMs);
    expect(await readNotices(bob)).toMatchObject([
      {
        kind: 'report_decided',
        facts: null,
        rule: null,
        about: { where: 'random_chat' },
        report: { category: 'hate', outcome: 'action_taken' },
        appeal: { state: 'none' },
      },
    ]);
  });

  it('reach all sockets of their recipient, on every replica, and no others', async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    const sockets = await Promise.all(stack.origins.map((origin) => ada.openSocket(origin)));
    const socketOfBob = await bob.openSocket();
    const noticeId = await warn(getReplica(), ada.user.id);
    for (const socket of sockets)
      expect(await socket.next('notice')).toMatchObject({
        id: noticeId,
        kind: 'warning',
        decidedBy: 'moderator',
      });
    expect(socketOfBob.all('notice')).toEqual([]);
  });

  it('are marked as seen once, only by their recipient, and refuse an answer if they ask no question', async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    const noticeId = await warn(getReplica(), ada.user.id);
    expect(await markSeen(bob, noticeId)).toMatchObject({ status: 404 });
    const { status, body } = await markSeen(ada, noticeId);
    expect(status).toBe(200);
    expect(body.seenAt).toEqual(expect.any(String));
    expect((await markSeen(ada, noticeId)).body).toEqual(body);
    expect((await readNotices(ada))[0]).toEqual(body);
    // A warning asks no question.
    expect(await markSeen(ada, noticeId, 'adult')).toMatchObject({ status: 400 });
  });

  it('can be answered once when they ask for the age', async () => {
    const ada = await stack.createVisitor(0);
    // The finding that the user stated an age under 18 sends a notice that asks for the age.
    const finding = { finding: 'stated_age', evidence: null, evidenceHash: null } as const;
    await getConduct().raiseFinding({ ...finding, userId: ada.user.id, sourceEventId: randomUUID() });
    const [question] = await readNotices(ada);
    expect(question).toMatchObject({
      kind: 'age_question',
      decidedBy: 'automatic',
      appeal: { state: 'none' },
    });
    expect(await markSeen(ada, question!.id, 'adult')).toMatchObject({ status: 200 });
    expect(await markSeen(ada, question!.id, 'minor')).toMatchObject({
      status: 409,
      body: { code: 'already_answered' },
    });
  });

  describe('appeals', () => {
    it('an appeal is filed once, is answered in a notice, and lifts the suspension when it succeeds', async () => {
      const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
      const { noticeId } = await suspend(ada, bob);
      const filed = await fileAppeal(ada, noticeId);
      expect(filed).toMatchObject({ status: 201, body: { noticeId, state: 'open' } });
      expect(await fileAppeal(ada, noticeId, 'Again')).toMatchObject({ status: 200, body: filed.body });
      expect((await readNotices(ada))[0]?.appeal).toMatchObject({ state: 'open', answer: null });
      await decideAppeal(ada, filed.body.id as number, 'reversed');
      const [outcomeNotice, suspension] = await readNotices(ada);
      const decidedAppeal = {
        state: 'decided',
        outcome: 'reversed',
        answer: 'We have looked at it once more.',
      };
      expect(outcomeNotice).toMatchObject({
        kind: 'appeal_decided',
        appeal: { ...decidedAppeal, until: null },
      });
      expect(suspension?.appeal).toMatchObject(decidedAppeal);
      expect((await ada.call('GET', `/api/user/${ada.user.id}`)).body).toMatchObject({
        standing: { kind: 'good' },
      });
      expect(await fileAppeal(ada, noticeId)).toMatchObject({
        status: 409,
        body: { code: 'already_answered' },
      });
    });

    it('an appeal is refused to other users, against notices without appeal, and without a valid text', async () => {
      const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
      const { noticeId } = await suspend(ada, bob);
      expect(await fileAppeal(bob, noticeId)).toMatchObject({ status: 404 });
      // A reporter can appeal only against the dismissal of a report.
      const [reportNotice] = await readNotices(bob);
      expect(await fileAppeal(bob, reportNotice!.id)).toMatchObject({ status: 404 });
      for (const words of ['', ' \u200b ', 'x'.repeat(limits.appealWordsMaxCodePoints + 1)])
        expect(await fileAppeal(ada, noticeId, words)).toMatchObject({ status: 400 });
    });

    it('an appeal of a reporter reopens the dismissed case, without informing the reported user', async () => {
      const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
      const socket = await ada.openSocket();
      const filed = await fileReport(getReplica(), ada.user.id, bob.user.id);
      await decide(getReplica(), ada.user.id, filed, 'dismissed');
      const [dismissal] = await readNotices(bob);
      expect(dismissal).toMatchObject({ report: { outcome: 'no_violation' }, appeal: { state: 'possible' } });
      const { status, body } = await fileAppeal(bob, dismissal!.id);
      expect(status).toBe(201);
      // The appeal belongs to the case of Ada, the reported user.
      const { events } = await decideAppeal(ada, body.id as number, 'reversed');
      expect(events.map(({ type }) => type)).toEqual(['AppealDecided', 'CaseOpened']);
      expect(await readNotices(ada)).toEqual([]);
      expect(await readCaseState(filed.caseId)).toBe('open');
      // The warning is only a marker: a `standing` that the appeal had sent would have arrived before its notice.
      await warn(getReplica(), ada.user.id);
      await socket.next('notice');
      expect(socket.all('standing')).toEqual([]);
    });

    it('an appeal is refused when the time for it is over', async () => {
      const replica = await stack.addReplica({ APPEAL_WITHIN_S: '1' });
      const ada = await new ThawVisitor([replica.origin]).joinAnonymously();
      const noticeId = await warn(replica, ada.user.id);
      await until(async () => (await readNotices(ada))[0]?.appeal.state === 'over');
      expect(await fileAppeal(ada, noticeId)).toMatchObject({ status: 409, body: { code: 'too_late' } });
    });

    it('a user can file five appeals a day, not counting malformed ones', async () => {
      const ada = await stack.createVisitor(0);
      expect((await fileAppeal(ada, FOREIGN_NOTICE_ID, '')).status).toBe(400);
      const statuses: number[] = [];
      // One more than allowed. Well-formed appeals count even when their notice is not found.
      for (let count = 0; count < APPEALS_PER_DAY + 1; count += 1)
        statuses.push((await fileAppeal(ada, FOREIGN_NOTICE_ID)).status);
      expect(statuses).toEqual([...Array<number>(APPEALS_PER_DAY).fill(404), 429]);
    });
  });
});
