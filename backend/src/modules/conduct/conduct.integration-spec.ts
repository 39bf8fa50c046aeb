// Uses real PostgreSQL and Redis, two api replicas over HTTP and sockets, and workers.
import { randomUUID } from 'node:crypto';
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

/** Time limits that pass within a test. */
const settings = { CARE_REVIEW_S: '1' };

describe('conduct', () => {
  let stack: TestStack;
  let nextUserId = 1_000;

  beforeAll(async () => {
    stack = await startTestStack(2, settings);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const getReplica = (index = 0) => stack.replicas[index]!;
  const getConduct = (index = 0) => getReplica(index).app.get(ConductService);
  const readStanding = (userId: number) => getReplica().app.get(StandingsService).find(userId);
  /** Users without an account do for everything but sockets. */
  const createUserIds = (count: number): number[] => Array.from({ length: count }, () => (nextUserId += 1));
  const readRows = (table: string, condition = 'true'): Promise<Record<string, unknown>[]> =>
    stack.database.dataSource.query(`SELECT * FROM ${table} WHERE ${condition} ORDER BY 1`);
  const reportByMany = async (userId: number, count: number) => {
    const filed = [];
    for (const reporterId of createUserIds(count))
      filed.push(await fileReport(getReplica(), userId, reporterId));
    return filed.at(-1)!;
  };
  const getErrorCode = (error: unknown): string =>
    error instanceof DomainError ? error.code : String(error);

  describe('reports', () => {
    it('that are retried are the same report', async () => {
      const [ada, bob] = createUserIds(2) as [number, number];
      const first = await fileReport(getReplica(), ada, bob);
      const again = await fileReport(getReplica(1), ada, bob);
      expect(again).toEqual({ ...first, isNew: false, events: [] });
      expect(await readRows('reports', `user_id = ${ada}`)).toHaveLength(1);
    });

    it('that come at once are all recorded, in one case, with the consequences of their number', async () => {
      const [ada, ...reporters] = createUserIds(13) as [number, ...number[]];
      const filed = await Promise.all(
        reporters.map((reporterId, index) => fileReport(getReplica(index % 2), ada, reporterId)),
      );
      expect(new Set(filed.map(({ reportId }) => reportId)).size).toBe(12);
      expect(new Set(filed.map(({ caseId }) => caseId)).size).toBe(1);
      const types = filed.flatMap(({ events }) => events.map(({ type }) => type));
      for (const type of ['CaseOpened', 'PersonFlagged', 'SanctionImposed'])
        expect(types.filter((one) => one === type)).toHaveLength(1);
      expect(await readStanding(ada)).toMatchObject({ kind: 'suspended' });
    });

    it('commit together with what is written alongside, or not at all', async () => {
      const [ada, bob] = createUserIds(2) as [number, number];
      const hold = jest.fn(async () => {
        throw new Error('the disk is full');
      });
      const request = { userId: ada, reporterId: bob };
      await expect(
        getConduct().fileReport(
          {
            ...request,
            category: 'spam',
            context: { where: 'private_chat', at: '2026-11-20T12:00:00.000Z' },
            words: null,
            evidence: '{}',
            evidenceHash: 'x',
            deviceAccountIds: [bob],
            weight: 1,
          },
          hold,
        ),
      ).rejects.toThrow('the disk is full');
      expect(await readRows('reports', `user_id = ${ada}`)).toEqual([]);
      expect(await readRows('events', `stream_id = 'conduct-${ada}'`)).toEqual([]);
    });
  });

  describe('two moderators at once', () => {
    it('do not both decide: the second one gets case_changed', async () => {
      const [ada] = createUserIds(1) as [number];
      const filed = await reportByMany(ada, 1);
      const attempts = await Promise.allSettled(
        [100, 200].map((moderatorId, index) =>
          decide(getReplica(index), ada, filed, 'suspended', { moderatorId }),
        ),
      );
      const refusals = attempts.flatMap((one) =>
        one.status === 'rejected' ? [getErrorCode(one.reason)] : [],
      );
      expect(refusals).toEqual(['case_changed']);
      expect(await readRows('sanctions', `user_id = ${ada}`)).toHaveLength(1);
    });

    it('do not both claim: the second one gets claimed', async () => {
      const [ada] = createUserIds(1) as [number];
      const { caseId } = await reportByMany(ada, 1);
      const attempts = await Promise.allSettled(
        [100, 200].map((moderatorId, index) =>
          getConduct(index).claimCase({ userId: ada, caseId, moderatorId }),
        ),
      );
      const refusals = attempts.flatMap((one) =>
        one.status === 'rejected' ? [getErrorCode(one.reason)] : [],
      );
      expect(refusals).toEqual(['claimed']);
    });
  });

  describe('a process that dies between the commit and the announcement', () => {
    const dieAfterCommit = () => {
      jest
        .spyOn(getReplica().app.get(StandingsService), 'announce')
        .mockRejectedValueOnce(new Error('killed'));
      jest.spyOn(getReplica().app.get(NoticesService), 'send').mockRejectedValueOnce(new Error('killed'));
    };

    it('has recorded the report: the same call again announces the standing', async () => {
      const ada = await stack.createVisitor(1);
      const [bob] = createUserIds(1) as [number];
      await reportByMany(ada.user.id, 4);
      const socket = await ada.openSocket();
      dieAfterCommit();
      await expect(fileReport(getReplica(), ada.user.id, bob)).rejects.toThrow('killed');
      expect(socket.all('standing')).toEqual([]);
      expect(await fileReport(getReplica(1), ada.user.id, bob)).toMatchObject({ isNew: false });
      expect(await socket.closed).toBe(4401);
    });

    it('delays the announcement only until the job announces recent standings again', async () => {
      const ada = await stack.createVisitor(1);
      const filed = await reportByMany(ada.user.id, 1);
      const socket = await ada.openSocket();
      dieAfterCommit();
      await expect(decide(getReplica(), ada.user.id, filed, 'suspended')).rejects.toThrow('killed');
      const worker = await stack.startWorker();
      await worker.app.get(TimeLimitsProcessor).run(new Date());
      expect(await socket.closed).toBe(4401);
      await worker.stop();
    });
  });

  describe('sanctions that others inherit', () => {
    /** A banned user, and users with an account on the same device. */
    const banWithFollowers = async (followers: number[]) => {
      const [userId] = createUserIds(1) as [number];
      const decided = await decide(getReplica(), userId, await reportByMany(userId, 1), 'banned');
      const { sanctionId, noticeId, rule } = findEvent(decided, 'SanctionImposed').data;
      for (const follower of followers)
        await getConduct().inheritSanction({
          userId: follower,
          sanctionId,
          kind: 'banned',
          rule,
          until: null,
        });
      return { userId, sanctionId, noticeId };
    };
    const liftSanction = (userId: number, sanctionId: number) =>
      getConduct().liftSanction({ userId, sanctionId, moderatorId: 100, reason: 'It was their brother.' });

    it('end with their source, with a notice, once', async () => {
      const [cleo] = createUserIds(1) as [number];
      const { userId, sanctionId } = await banWithFollowers([cleo]);
      const [own] = await readRows('sanctions', `user_id = ${cleo}`);
      await liftSanction(userId, sanctionId);
      expect(await readStanding(cleo)).toMatchObject({ kind: 'good' });
      expect(await readRows('notices', `recipient_id = ${cleo} AND kind = 'lifted'`)).toMatchObject([
        { sanction_id: own?.id },
      ]);
      await getConduct().alignInheritedSanctions(null, 10);
      expect(await readRows('sanctions', `user_id = ${cleo}`)).toHaveLength(1);
    });

    it('become shorter when an appeal shortens their source', async () => {
      const [cleo] = createUserIds(1) as [number];
      const { userId, noticeId } = await banWithFollowers([cleo]);
      const appeal = await getConduct().fileAppeal({ userId, appellantId: userId, noticeId, words: 'No' });
      const end = new Date(Date.now() + 60 * 60_000);
      await getConduct().decideAppeal({
        userId,
        appealId: appeal.appealId,
        version: appeal.version,
        moderatorId: 200,
        excludedModeratorIds: [],
        isOnlyModerator: false,
        outcome: 'reduced',
        until: end,
        answer: 'An hour is enough.',
      });
      expect(await readStanding(cleo)).toMatchObject({ kind: 'suspended', until: end.toISOString() });
    });

    it('stay while another sanction of the case has taken the place of their source', async () => {
      const [cleo, ...reporters] = createUserIds(6) as [number, ...number[]];
      const [userId] = createUserIds(1) as [number];
      const filed = [];
      for (const reporterId of reporters) filed.push(await fileReport(getReplica(), userId, reporterId));
      const { sanctionId, rule, until: end } = findEvent(filed.at(-1)!, 'SanctionImposed').data;
      await getConduct().inheritSanction({
        userId: cleo,
        sanctionId,
        kind: 'suspended',
        rule,
        until: new Date(String(end)),
      });
      await decide(getReplica(), userId, filed.at(-1)!, 'banned');
      expect(await readRows('sanctions', `user_id = ${cleo} AND lifted_at IS NULL`)).toHaveLength(1);
    });

    it('end by the job when the process that ended their source has died', async () => {
      const [cleo] = createUserIds(1) as [number];
      const { userId, sanctionId } = await banWithFollowers([cleo]);
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
    it('are applied once when two workers run at the same time', async () => {
      const [banned, suspended] = createUserIds(2) as [number, number];
      await decide(getReplica(), banned, await reportByMany(banned, 1), 'banned');
      await reportByMany(suspended, 5);
      const workers = await Promise.all([stack.startWorker(), stack.startWorker()]);
      const processors = workers.map(({ app }) => app.get(TimeLimitsProcessor));
      await until(async () => {
        await Promise.all(processors.map((processor) => processor.run(new Date())));
        const kinds = await Promise.all([readStanding(banned), readStanding(suspended)]);
        return kinds[0].kind === 'suspended' && kinds[1].kind === 'care';
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

  it('has the same read models after a rebuild', async () => {
    const [ada, eve] = createUserIds(2) as [number, number];
    const filed = await reportByMany(ada, 5);
    await getConduct().claimCase({ userId: ada, caseId: filed.caseId, moderatorId: 100 });
    await getConduct().addNote({ userId: ada, caseId: filed.caseId, moderatorId: 100, text: 'Looks bad' });
    const noted = await getConduct().releaseCase({ userId: ada, caseId: filed.caseId, moderatorId: 100 });
    const decided = await decide(getReplica(), ada, { ...filed, version: noted.version }, 'banned');
    const { noticeId } = findEvent(decided, 'SanctionImposed').data;
    const appealed = await getConduct().fileAppeal({ userId: ada, appellantId: ada, noticeId, words: 'No' });
    const judgement = { moderatorId: 200, excludedModeratorIds: [], isOnlyModerator: false };
    await getConduct().decideAppeal({
      ...judgement,
      userId: ada,
      appealId: appealed.appealId,
      version: appealed.version,
      outcome: 'reduced',
      until: new Date(Date.now() + 60 * 60_000),
      answer: 'An hour is enough.',
    });
    const dismissed = await reportByMany(eve, 1);
    const dismissal = await decide(getReplica(), eve, dismissed, 'dismissed');
    const { noticeId: reporterNotice, reporterId } = findEvent(dismissal, 'CaseDecided').data.reports[0]!;
    const second = await getConduct().fileAppeal({
      userId: eve,
      appellantId: reporterId,
      noticeId: reporterNotice,
      words: 'Look again',
    });
    await getConduct().decideAppeal({
      ...judgement,
      userId: eve,
      appealId: second.appealId,
      version: second.version,
      outcome: 'reversed',
      until: null,
      answer: 'You were right about that.',
    });
    await getConduct().raiseFinding({
      userId: eve,
      finding: 'stated_age',
      sourceEventId: randomUUID(),
      evidence: null,
      evidenceHash: null,
    });
    await getConduct().inheritSanction({
      userId: eve,
      sanctionId: 7,
      kind: 'suspended',
      rule: 'no_spam',
      until: null,
    });
    await getConduct().setLegalHold({
      userId: eve,
      moderatorId: 100,
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
