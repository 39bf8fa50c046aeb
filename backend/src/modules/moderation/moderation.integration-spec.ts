// Uses real PostgreSQL and Redis, with two api replicas over HTTP. Bob is reported; Mia and Max are moderators.
import type { ModerationCase } from '@thaw/contract/moderation';
import type { Notice } from '@thaw/contract/safety';
import {
  createModerator,
  FACTS,
  formatHoursFromNow,
  createModeratorApi,
  reportUser,
  type ReportFields,
} from '../../testing/moderation.fixture';
import { makeFriends } from '../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { ConductService } from '../conduct/application/conduct.service';
import { NoticesService } from '../conduct/application/notices.service';
import { AuditService } from './application/audit.service';

jest.setTimeout(60_000);

describe('moderation', () => {
  let stack: TestStack;
  let mia: ThawVisitor;
  let max: ThawVisitor;

  beforeAll(async () => {
    stack = await startTestStack(2);
    mia = await createModerator(stack, 0);
    max = await createModerator(stack, 1);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  /**
   * Ada (`reporter`) reports Bob (`target`), which opens a case or adds to the open one. Both are new users unless they
   * are passed.
   */
  const fileNewReport = async ({
    reporter,
    target,
    ...fields
  }: ReportFields & { reporter?: ThawVisitor; target?: ThawVisitor } = {}) => {
    const ada = reporter ?? (await stack.createVisitor(0));
    const bob = target ?? (await stack.createVisitor(1));
    return { ada, bob, ...(await reportUser(stack.replicas[0]!, ada, bob, fields)) };
  };
  /** Builds the body of a request that decides a case: the user is suspended for 24 hours. */
  const buildSuspensionDecision = (version: number, changes: object = {}) => ({
    version,
    outcome: 'suspended',
    rule: 'no_unwanted_sexual',
    facts: FACTS,
    until: formatHoursFromNow(24),
    ...changes,
  });
  const buildBanDecision = (version: number) => ({
    version,
    outcome: 'banned',
    rule: 'no_threats',
    facts: FACTS,
  });
  /** The status of a route that is not open to suspended users: 403 while the caller is suspended. */
  const readOrdinaryRouteStatus = async (caller: ThawVisitor): Promise<number> =>
    (await caller.call('GET', `/api/friends/${caller.user.id}`)).status;
  const readNotices = ({ user }: ThawVisitor): Promise<Notice[]> =>
    stack.replicas[0]!.app.get(NoticesService).list(user.id);
  /** Appeals against the caller's notice of this kind. @returns the id of the appeal */
  const fileAppeal = async (caller: ThawVisitor, kind: Notice['kind']): Promise<number> => {
    const appealed = (await readNotices(caller)).find((notice) => notice.kind === kind)!;
    const userId = caller.user.id;
    // `appellantId` differs from `userId` only if a reporter appeals against the dismissal of their report.
    const fields = { userId, appellantId: userId, noticeId: appealed.id, words: 'It was not me.' };
    const { appealId } = await stack.replicas[0]!.app.get(ConductService).fileAppeal(fields);
    return appealId;
  };
  /** The expected response with status 409 (Conflict) and an error code. */
  const conflict = (code: string) => ({ status: 409, body: { code } });

  describe('reading the queue and cases', () => {
    const readQueueItem = async (caseId: number): Promise<ModerationCase | undefined> => {
      const { body } = await createModeratorApi(mia).list();
      return (body.cases as ModerationCase[]).find(({ id }) => id === caseId);
    };

    it('the queue shows the urgency of a case, the reported user and the categories of the reports', async () => {
      const { bob, caseId } = await fileNewReport();
      expect(await readQueueItem(caseId)).toMatchObject({
        state: 'open',
        kind: 'reports',
        urgency: 300, // for the category 'sexual', the default of `reportUser`
        userId: bob.user.id,
        username: bob.user.username,
        isAnonymous: true,
        categories: { sexual: 1 },
        reporters: 1,
        standing: 'good',
        claimedBy: null,
      });
    });

    it('a case contains what the queue shows, its reports, the evidence without file keys, and the history', async () => {
      const image = { imageId: 3, width: 8, height: 8, key: 'secret-key.webp' };
      const message = {
        id: '1-0',
        at: new Date().toISOString(),
        type: 'mixed' as const,
        versions: ['hi', 'ho'],
        senderId: 1,
        isMarked: true,
      };
      const { ada, caseId, reportId } = await fileNewReport({
        messages: [{ ...message, images: [image] }],
      });
      const item = await readQueueItem(caseId);
      expect(item).toBeDefined();
      const whole = await createModeratorApi(mia).read(caseId);
      expect(whole).toMatchObject({
        ...item,
        urgencyParts: { base: 300, reporters: 0, priors: 0, automatic: 0, waiting: 0, isHalved: false },
        reports: [
          {
            id: reportId,
            reporterId: ada.user.id,
            category: 'sexual',
            words: 'did not stop',
            weight: 1,
            accuracy: { decided: 0, upheld: 0 },
          },
        ],
        evidence: [{ reportId, source: 'random_chat', omitted: 0 }],
        history: [{ kind: 'opened' }],
        excludes: [], // no moderator is involved in the case
      });
      expect(whole.evidence[0]!.messages).toEqual([
        { ...message, images: [{ imageId: 3, width: 8, height: 8 }] },
      ]);
      expect(JSON.stringify(whole)).not.toContain('secret-key');
    });

    it('paging through the queue repeats and skips no case', async () => {
      // With a limit of 2, the queue has several pages.
      for (let count = 0; count < 5; count += 1) await fileNewReport();
      const { body: all } = await createModeratorApi(mia).list();
      const ids: number[] = [];
      let cursor = '';
      do {
        const query = cursor ? `?limit=2&cursor=${cursor}` : '?limit=2';
        const { body } = await createModeratorApi(max).list(query);
        ids.push(...(body.cases as ModerationCase[]).map(({ id }) => id));
        cursor = (body.nextCursor as string | null) ?? '';
      } while (cursor);
      expect(ids).toEqual((all.cases as ModerationCase[]).map(({ id }) => id));
    });

    it.each([
      ['an unknown state', 'state=all'],
      ['a page of no cases', 'limit=0'],
      ['a page above the limit', 'limit=101'],
      ['a cursor that is not JSON', 'cursor=x'],
      ['a cursor with one number', 'cursor=WzFd'], // base64url of [1]
      ['two cursors', 'cursor=a&cursor=b'],
    ])('the queue refuses a query with %s', async (_reason, query) => {
      const { status, body } = await createModeratorApi(mia).list(`?${query}`);
      expect([status, body.code]).toEqual([400, 'validation_failed']);
    });

    it('a case is not returned when the read cannot be recorded in the audit log', async () => {
      const { caseId } = await fileNewReport();
      jest.spyOn(stack.replicas[0]!.app.get(AuditService), 'record').mockRejectedValueOnce(new Error('full'));
      const { status, body } = await createModeratorApi(mia).call('GET', `cases/${caseId}`);
      expect(status).toBe(500);
      expect(body).not.toHaveProperty('reports');
    });
  });

  describe('decisions', () => {
    it('a decision suspends the user immediately, returns the updated case, and notifies the user and the reporter', async () => {
      const { ada, bob, caseId } = await fileNewReport();
      const { version } = await createModeratorApi(mia).read(caseId);
      const { status, body } = await createModeratorApi(mia).decide(
        caseId,
        buildSuspensionDecision(version, { note: 'Seen before.' }),
      );
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: caseId, state: 'decided', urgency: 0, standing: 'suspended' });
      expect((body as unknown as ModerationCase).history).toMatchObject([
        { kind: 'opened' },
        { kind: 'decision', moderatorId: mia.user.id, outcome: 'suspended', facts: FACTS },
        { kind: 'note', moderatorId: mia.user.id, text: 'Seen before.' },
        { kind: 'sanction', sanction: 'suspended', isAutomatic: false },
      ]);
      expect(await readOrdinaryRouteStatus(bob)).toBe(403);
      expect(await readNotices(bob)).toMatchObject([{ kind: 'suspension', facts: FACTS }]);
      expect(await readNotices(ada)).toMatchObject([{ kind: 'report_decided' }]);
      const { body: decided } = await createModeratorApi(max).list('?state=decided');
      expect((decided.cases as ModerationCase[])[0]).toMatchObject({ id: caseId });
    });

    it('only one of two simultaneous decisions takes effect', async () => {
      const { bob, caseId } = await fileNewReport();
      const { version } = await createModeratorApi(mia).read(caseId);
      const responses = await Promise.all(
        [mia, max].map((moderator) =>
          createModeratorApi(moderator).decide(caseId, buildSuspensionDecision(version)),
        ),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(responses.find(({ status }) => status === 409)!.body.code).toBe('case_changed');
      const sql = 'SELECT 1 FROM sanctions WHERE user_id = $1';
      expect(await stack.database.dataSource.query(sql, [bob.user.id])).toHaveLength(1);
    });

    it('a decision is refused during the claim of another moderator, and with a version from before its release', async () => {
      const { caseId } = await fileNewReport();
      const claim = await createModeratorApi(mia).claim(caseId);
      expect(claim).toMatchObject({
        status: 200,
        body: { claimedBy: mia.user.id, until: expect.any(String) },
      });
      const { version } = claim.body as { version: number };
      expect(await createModeratorApi(max).claim(caseId)).toMatchObject(conflict('claimed'));
      const decide = () => createModeratorApi(max).decide(caseId, buildSuspensionDecision(version));
      expect(await decide()).toMatchObject(conflict('claimed'));
      const release = await createModeratorApi(mia).call('DELETE', `cases/${caseId}/claim`);
      expect(release.status).toBe(204);
      // The release of the claim has changed the version, so Max has to read the case again.
      expect(await decide()).toMatchObject(conflict('case_changed'));
    });

    it('a decision is refused when a report has arrived since the moderator read the case', async () => {
      const { bob, caseId } = await fileNewReport();
      const { version } = await createModeratorApi(mia).read(caseId);
      await fileNewReport({ target: bob });
      const decision = await createModeratorApi(mia).decide(caseId, buildSuspensionDecision(version));
      expect(decision).toMatchObject(conflict('case_changed'));
    });

    it.each([
      ['a suspension without an end', { until: undefined }],
      ['a suspension of less than an hour', { until: formatHoursFromNow(0.5) }],
      ['a suspension of more than a year', { until: formatHoursFromNow(366 * 24) }],
      ['an end that is not a time', { until: 'tomorrow' }],
      ['no facts', { facts: undefined }],
      ['facts of 19 characters', { facts: 'x'.repeat(19) }],
      ['facts of 1,001 characters', { facts: 'x'.repeat(1_001) }],
      ['no rule', { rule: undefined }],
      ['a warning with an end', { outcome: 'warned' }],
      ['an unknown outcome', { outcome: 'ignored' }],
      [
        'an image to block although the case is dismissed',
        { outcome: 'dismissed', until: undefined, rule: undefined, blockImages: [1] },
      ],
    ])('a decision is refused with %s', async (_case, changes) => {
      const { caseId } = await fileNewReport();
      const { version } = await createModeratorApi(mia).read(caseId);
      const { status, body } = await createModeratorApi(mia).decide(
        caseId,
        buildSuspensionDecision(version, changes),
      );
      expect([status, body.code]).toEqual([400, 'validation_failed']);
    });
  });

  describe('involved moderators', () => {
    /** Expects that the case lists the moderator as excluded, and that their decision is refused. */
    const expectRefusedAsInvolved = async (moderator: ThawVisitor, caseId: number) => {
      const { version, excludes: excludedModeratorIds } = await createModeratorApi(moderator).read(caseId);
      expect(excludedModeratorIds).toContain(moderator.user.id);
      const decision = await createModeratorApi(moderator).decide(caseId, buildSuspensionDecision(version));
      // The code `own_decision` stands for every kind of involvement.
      expect(decision).toMatchObject(conflict('own_decision'));
    };

    it('a moderator cannot decide a case about themselves or one that they reported', async () => {
      const aboutMia = await fileNewReport({ target: mia });
      await expectRefusedAsInvolved(mia, aboutMia.caseId);
      const reportedByMia = await fileNewReport({ reporter: mia });
      await expectRefusedAsInvolved(mia, reportedByMia.caseId);
    });

    it('a moderator cannot decide a case about a friend or one that a friend reported', async () => {
      const [friend, moderator] = [await stack.createVisitor(0), await createModerator(stack)];
      await makeFriends(stack.replicas[0]!, moderator, friend);
      const aboutFriend = await fileNewReport({ target: friend });
      await expectRefusedAsInvolved(moderator, aboutFriend.caseId);
      const reportedByFriend = await fileNewReport({ reporter: friend });
      await expectRefusedAsInvolved(moderator, reportedByFriend.caseId);
    });

    it('an escalated case can be decided by another moderator, but not by the one who escalated it', async () => {
      const { caseId } = await fileNewReport();
      const { version } = await createModeratorApi(mia).read(caseId);
      const escalation = { version, reason: 'I do not read that language.' };
      const { body } = await createModeratorApi(mia).call('POST', `cases/${caseId}/escalation`, escalation);
      expect(body).toMatchObject({ state: 'escalated', excludes: [mia.user.id] });
      await expectRefusedAsInvolved(mia, caseId);
      const { version: next } = await createModeratorApi(max).read(caseId);
      expect((await createModeratorApi(max).decide(caseId, buildSuspensionDecision(next))).status).toBe(200);
    });
  });

  it('another moderator can reverse a decision on appeal, which lifts the sanction immediately', async () => {
    const { bob, caseId } = await fileNewReport();
    const { version } = await createModeratorApi(mia).read(caseId);
    await createModeratorApi(mia).decide(caseId, buildSuspensionDecision(version));
    const appealId = await fileAppeal(bob, 'suspension');
    const waiting = await createModeratorApi(mia).read(caseId);
    // The urgency of an appeal against a sanction in force is 400.
    expect(waiting).toMatchObject({ state: 'open', kind: 'appeal', urgency: 400, excludes: [mia.user.id] });
    const appealDecision = {
      version: waiting.version,
      outcome: 'reversed',
      answer: 'You were right, and we are sorry.',
    };
    const ownAnswer = await createModeratorApi(mia).answer(appealId, appealDecision);
    expect(ownAnswer).toMatchObject(conflict('own_decision'));
    const { status, body } = await createModeratorApi(max).answer(appealId, appealDecision);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'decided', standing: 'good' });
    expect((body as unknown as ModerationCase).history.slice(-3)).toMatchObject([
      { kind: 'appeal', state: 'decided', words: 'It was not me.' },
      {
        kind: 'appeal_decided',
        moderatorId: max.user.id,
        outcome: 'reversed',
        answer: appealDecision.answer,
      },
      { kind: 'lifted', cause: 'appeal' },
    ]);
    expect(await readOrdinaryRouteStatus(bob)).toBe(200);
    const secondDecision = { ...appealDecision, version: Number(body.version) };
    const secondAnswer = await createModeratorApi(max).answer(appealId, secondDecision);
    expect(secondAnswer).toMatchObject(conflict('already_answered'));
  });

  it('a ban can be confirmed only by another moderator', async () => {
    const { caseId } = await fileNewReport();
    const { version } = await createModeratorApi(mia).read(caseId);
    const { body: first } = await createModeratorApi(mia).decide(caseId, buildBanDecision(version));
    expect(first).toMatchObject({
      state: 'open',
      kind: 'confirmation',
      standing: 'banned',
      excludes: [mia.user.id],
    });
    const confirmation = { version: first.version, isConfirmed: true };
    const ownConfirmation = await createModeratorApi(mia).confirm(caseId, confirmation);
    expect(ownConfirmation).toMatchObject(conflict('own_decision'));
    const { status, body } = await createModeratorApi(max).confirm(caseId, confirmation);
    expect([status, body.state, body.standing]).toEqual([200, 'decided', 'banned']);
    expect((body as unknown as ModerationCase).history.at(-1)).toMatchObject({
      kind: 'confirmed',
      moderatorId: max.user.id,
    });
  });
});
