// Uses real PostgreSQL and Redis, two api replicas over HTTP and sockets, and workers.
import { randomUUID } from 'node:crypto';
import { closeCodes } from '@thaw/contract/close-codes';
import { decide, findEvent, fileReport } from '../../testing/conduct.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { until } from '../../testing/until.functions';
import { DomainError } from '../../platform/errors/domain.errors';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { StandingsService } from '../standings/application/standings.service';
import { ConductService } from './application/conduct.service';
import { NoticesService } from './application/notices.service';
import { TimeLimitsProcessor } from './jobs/time-limits.processor';

jest.setTimeout(60_000);

/** An automatic suspension, and the time to confirm a ban, last one second. */
const shortReviewSettings = { CARE_REVIEW_S: '1' };
const [moderatorId, otherModeratorId] = [100, 200];
/** Fields of a decision on an appeal. It is made by a moderator who did not decide the case. */
const reviewer = { moderatorId: otherModeratorId, excludedModeratorIds: [], isOnlyModerator: false };

describe('conduct', () => {
  let stack: TestStack;
  let nextUserId = 1_000;

  beforeAll(async () => {
    stack = await startTestStack(2, shortReviewSettings);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const getReplica = (index = 0) => stack.replicas[index]!;
  const getConduct = (index = 0) => getReplica(index).app.get(ConductService);
  const readStanding = (userId: number) => getReplica().app.get(StandingsService).find(userId);
  /** The id of a new user without an account. Only sockets need an account. */
  const createUserId = (): number => (nextUserId += 1);
  const createUserIds = (count: number): number[] => Array.from({ length: count }, createUserId);
  const readRows = (table: string, condition = 'true'): Promise<Record<string, unknown>[]> =>
    stack.database.dataSource.query(`SELECT * FROM ${table} WHERE ${condition} ORDER BY 1`);
  /** Lets `count` users report a user. Three reports flag them, five suspend them. @returns the last result. */
  const reportByMany = async (userId: number, count: number) => {
    const filed = [];
    for (const reporterId of createUserIds(count))
      filed.push(await fileReport(getReplica(), userId, reporterId));
    return filed.at(-1)!;
  };
  const getErrorCode = (error: unknown): string =>
    error instanceof DomainError ? error.code : String(error);
  const listRefusals = (results: readonly PromiseSettledResult<unknown>[]): string[] =>
    results.flatMap((result) => (result.status === 'rejected' ? [getErrorCode(result.reason)] : []));

  /** Reduces a user's sanction to an hour from now, because the user appeals. @returns the new end of the sanction */
  const reduceToAnHour = async (userId: number, noticeId: number): Promise<Date> => {
    const appeal = await getConduct().fileAppeal({ userId, appellantId: userId, noticeId, words: 'No' });
    const end = new Date(Date.now() + 60 * 60_000);
    await getConduct().decideAppeal({
      ...reviewer,
      userId,
      appealId: appeal.appealId,
      version: appeal.version,
      outcome: 'reduced',
      until: end,
      answer: 'An hour is enough.',
    });
    return end;
  };

  describe('reports', () => {
    it('return the first report when they are retried', async () => {
      const [ada, reporterId] = [createUserId(), createUserId()];
      const first = await fileReport(getReplica(), ada, reporterId);
      const again = await fileReport(getReplica(1), ada, reporterId);
      expect(again).toEqual({ ...first, isNew: false, events: [] });
      expect(await readRows('reports', `user_id = ${ada}`)).toHaveLength(1);
    });

    it('are all recorded in one case when they come at once, and flag and suspend the user once', async () => {
      const ada = createUserId();
      const reporters = createUserIds(12);
      const filed = await Promise.all(
        reporters.map((reporterId, index) => fileReport(getReplica(index % 2), ada, reporterId)),
      );
      expect(new Set(filed.map(({ reportId }) => reportId)).size).toBe(12);
      expect(new Set(filed.map(({ caseId }) => caseId)).size).toBe(1);
      const types = filed.flatMap(({ events }) => events.map(({ type }) => type));
      for (const type of ['CaseOpened', 'PersonFlagged', 'SanctionImposed'])
        expect(types.filter((eventType) => eventType === type)).toHaveLength(1);
      expect(await readStanding(ada)).toMatchObject({ kind: 'suspended' });
    });

    it('are not recorded when a write of the caller in the same transaction fails', async () => {
      const [ada, reporterId] = [createUserId(), createUserId()];
      const failToWrite = async () => {
        throw new Error('the disk is full');
      };
      await expect(
        getConduct().fileReport(
          {
            userId: ada,
            reporterId,
            category: 'spam',
            context: { where: 'private_chat', at: '2026-11-20T12:00:00.000Z' },
            words: null,
            evidence: '{}',
            evidenceHash: 'x',
            deviceAccountIds: [reporterId],
            weight: 1,
          },
          failToWrite,
        ),
      ).rejects.toThrow('the disk is full');
      expect(await readRows('reports', `user_id = ${ada}`)).toEqual([]);
      expect(await readRows('events', `stream_id = 'conduct-${ada}'`)).toEqual([]);
    });
  });

  describe('two moderators at once', () => {
    it('do not both decide: the second is refused with case_changed', async () => {
      const ada = createUserId();
      const filed = await reportByMany(ada, 1);
      const results = await Promise.allSettled([
        decide(getReplica(0), ada, filed, 'suspended', { moderatorId }),
        decide(getReplica(1), ada, filed, 'suspended', { moderatorId: otherModeratorId }),
      ]);
      expect(listRefusals(results)).toEqual(['case_changed']);
      expect(await readRows('sanctions', `user_id = ${ada}`)).toHaveLength(1);
    });

    it('do not both claim: the second is refused with claimed', async () => {
      const ada = createUserId();
      const { caseId } = await reportByMany(ada, 1);
      const results = await Promise.allSettled([
        getConduct(0).claimCase({ userId: ada, caseId, moderatorId }),
        getConduct(1).claimCase({ userId: ada, caseId, moderatorId: otherModeratorId }),
      ]);
      expect(listRefusals(results)).toEqual(['claimed']);
    });
  });

  describe('a process that dies between the commit and the announcement of a standing', () => {
    /**
     * Lets the next commit succeed, and the calls that follow it fail. So the command stops where it would if the
     * process died.
     */
    const dieAfterNextCommit = () => {
      jest
        .spyOn(getReplica().app.get(StandingsService), 'announce')
        .mockRejectedValueOnce(new Error('killed'));
      jest.spyOn(getReplica().app.get(NoticesService), 'send').mockRejectedValueOnce(new Error('killed'));
    };

    it('has recorded the report, and a repeated call announces the standing', async () => {
      const ada = await stack.createVisitor(1);
      const fifthReporterId = createUserId();
      // The fifth report suspends Ada.
      await reportByMany(ada.user.id, 4);
      const socket = await ada.openSocket();
      dieAfterNextCommit();
      await expect(fileReport(getReplica(), ada.user.id, fifthReporterId)).rejects.toThrow('killed');
      expect(socket.all('standing')).toEqual([]);
      expect(await fileReport(getReplica(1), ada.user.id, fifthReporterId)).toMatchObject({ isNew: false });
      // The announcement of a suspension closes the user's sockets with this code.
      expect(await socket.closed).toBe(closeCodes.notSignedIn);
    });

    it('has recorded the decision, and the job that repeats recent announcements announces the standing', async () => {
      const ada = await stack.createVisitor(1);
      const filed = await reportByMany(ada.user.id, 1);
      const socket = await ada.openSocket();
      dieAfterNextCommit();
      await expect(decide(getReplica(), ada.user.id, filed, 'suspended')).rejects.toThrow('killed');
      const worker = await stack.startWorker();
      await worker.app.get(TimeLimitsProcessor).run(new Date());
      expect(await socket.closed).toBe(closeCodes.notSignedIn);
      await worker.stop();
    });
  });

  // An inherited sanction has a source: the sanction of another account on the same device.
  describe('inherited sanctions', () => {
    /** Bans a user and lets other users (the heirs) inherit the ban. @returns the banned user and the ban. */
    const banWithHeirs = async (heirIds: number[]) => {
      const userId = createUserId();
      const decided = await decide(getReplica(), userId, await reportByMany(userId, 1), 'banned');
      const { sanctionId, noticeId, rule } = findEvent(decided, 'SanctionImposed').data;
      for (const heirId of heirIds)
        await getConduct().inheritSanction({
          userId: heirId,
          sanctionId,
          kind: 'banned',
          rule,
          until: null,
        });
      return { userId, sanctionId, noticeId };
    };
    const liftSanction = (userId: number, sanctionId: number) =>
      getConduct().liftSanction({ userId, sanctionId, moderatorId, reason: 'It was their brother.' });

    it('end when their source is lifted, and their user gets one notice', async () => {
      const cleo = createUserId();
      const { userId, sanctionId } = await banWithHeirs([cleo]);
      const [inherited] = await readRows('sanctions', `user_id = ${cleo}`);
      await liftSanction(userId, sanctionId);
      expect(await readStanding(cleo)).toMatchObject({ kind: 'good' });
      // The job makes this call regularly, too (`null`: sources of all users). It must change nothing here.
      await getConduct().alignInheritedSanctions(null, 10);
      expect(await readRows('notices', `recipient_id = ${cleo} AND kind = 'lifted'`)).toMatchObject([
        { sanction_id: inherited?.id },
      ]);
      expect(await readRows('sanctions', `user_id = ${cleo}`)).toHaveLength(1);
    });

    it('become shorter when an appeal shortens their source', async () => {
      const cleo = createUserId();
      const { userId, noticeId } = await banWithHeirs([cleo]);
      const end = await reduceToAnHour(userId, noticeId);
      expect(await readStanding(cleo)).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    });

    it('stay when another sanction of the case has replaced their source', async () => {
      const [cleo, userId] = [createUserId(), createUserId()];
      // Five reports suspend the user; the ban below replaces this suspension.
      const filed = await reportByMany(userId, 5);
      const { sanctionId, rule, until: end } = findEvent(filed, 'SanctionImposed').data;
      await getConduct().inheritSanction({
        userId: cleo,
        sanctionId,
        kind: 'suspended',
        rule,
        until: new Date(String(end)),
      });
      await decide(getReplica(), userId, filed, 'banned');
      expect(await readRows('sanctions', `user_id = ${cleo} AND lifted_at IS NULL`)).toHaveLength(1);
    });

    it('are ended by the job when the process that ended their source has died', async () => {
      const cleo = createUserId();
      const { userId, sanctionId } = await banWithHeirs([cleo]);
      jest.spyOn(getConduct(), 'alignInheritedSanctions').mockRejectedValueOnce(new Error('killed'));
      await expect(liftSanction(userId, sanctionId)).rejects.toThrow('killed');
      expect(await readStanding(cleo)).toMatchObject({ kind: 'banned' });
      const worker = await stack.startWorker();
      await worker.app.get(TimeLimitsProcessor).run(new Date());
      expect(await readStanding(cleo)).toMatchObject({ kind: 'good' });
      await worker.stop();
    });
  });

  describe('time limits', () => {
    it('are applied once to an unconfirmed ban and to a suspension when two workers run at the same time', async () => {
      const [banned, suspended] = [createUserId(), createUserId()];
      await decide(getReplica(), banned, await reportByMany(banned, 1), 'banned');
      await reportByMany(suspended, 5);
      const workers = await Promise.all([stack.startWorker(), stack.startWorker()]);
      const processors = workers.map(({ app }) => app.get(TimeLimitsProcessor));
      // The unconfirmed ban becomes a suspension. The automatic suspension ends and leaves the flag (`care`).
      await until(async () => {
        await Promise.all(processors.map((processor) => processor.run(new Date())));
        const standings = await Promise.all([readStanding(banned), readStanding(suspended)]);
        return standings[0].kind === 'suspended' && standings[1].kind === 'care';
      });
      await Promise.all(processors.map((processor) => processor.run(new Date())));
      expect((await readRows('sanctions', `user_id = ${banned}`)).map(({ kind }) => kind)).toEqual([
        'banned',
        'suspended',
      ]);
      const notices = await readRows('notices', `recipient_id = ${suspended}`);
      expect(notices.map(({ kind, cause }) => [kind, cause])).toEqual([
        ['care', 'reports'],
        ['suspension', 'reports'],
        ['care', 'sanction_lapsed'],
      ]);
      await Promise.all(workers.map((worker) => worker.stop()));
    });
  });

  describe('a rebuild', () => {
    /** Lets a moderator claim the case of a user, add a note and release it, bans the user, and reduces the ban. */
    const banAndReduce = async (userId: number) => {
      const { caseId } = await reportByMany(userId, 5);
      await getConduct().claimCase({ userId, caseId, moderatorId });
      await getConduct().addNote({ userId, caseId, moderatorId, text: 'Looks bad' });
      const { version } = await getConduct().releaseCase({ userId, caseId, moderatorId });
      const decided = await decide(getReplica(), userId, { caseId, version }, 'banned');
      const { noticeId } = findEvent(decided, 'SanctionImposed').data;
      await reduceToAnHour(userId, noticeId);
    };
    /** Dismisses the case of a user, and reverses the dismissal because the reporter appeals. */
    const dismissAndReverse = async (userId: number) => {
      const dismissal = await decide(getReplica(), userId, await reportByMany(userId, 1), 'dismissed');
      const { noticeId, reporterId } = findEvent(dismissal, 'CaseDecided').data.reports[0]!;
      const appeal = await getConduct().fileAppeal({
        userId,
        appellantId: reporterId,
        noticeId,
        words: 'Look again',
      });
      await getConduct().decideAppeal({
        ...reviewer,
        userId,
        appealId: appeal.appealId,
        version: appeal.version,
        outcome: 'reversed',
        until: null,
        answer: 'You were right about that.',
      });
    };

    it('leaves the read models unchanged', async () => {
      // Writes rows to each of the tables below.
      await banAndReduce(createUserId());
      const eve = createUserId();
      await dismissAndReverse(eve);
      await getConduct().raiseFinding({
        userId: eve,
        finding: 'stated_age',
        sourceEventId: randomUUID(),
        evidence: null,
        evidenceHash: null,
      });
      await getConduct().inheritSanction({
        userId: eve,
        // Any number: it is not checked whether the source exists.
        sanctionId: 7,
        kind: 'suspended',
        rule: 'no_spam',
        until: null,
      });
      await getConduct().setLegalHold({
        userId: eve,
        moderatorId,
        isHeld: true,
        reason: 'The police asked',
      });

      const tables = ['conduct_cases', 'reports', 'appeals', 'notices', 'sanctions', 'standings'];
      const readAll = () => Promise.all(tables.map((table) => readRows(table)));
      const before = await readAll();
      for (const table of before) expect(table.length).toBeGreaterThan(0);
      await getReplica().app.get(ProjectionRebuildService).rebuild();
      expect(await readAll()).toEqual(before);
    });
  });
});
