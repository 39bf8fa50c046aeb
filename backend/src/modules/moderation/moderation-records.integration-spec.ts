// The audit log, profiles and statistics for moderators. Uses real PostgreSQL and Redis, with one api replica over HTTP
// and, for the statistics, a worker. Mia and Noa are moderators.
import { DataSource } from 'typeorm';
import type { ModeratedPerson } from '@thaw/contract/moderation';
import type { AuditEntry, ModerationFigures } from '@thaw/contract/moderation-records';
import { MetricsRegistry } from '../../platform/observability/metrics.registry';
import { RateLimiterService } from '../../platform/rate-limit/rate-limiter.service';
import {
  createModerator,
  FACTS,
  formatHoursFromNow,
  createModeratorApi,
  reportUser,
} from '../../testing/moderation.fixture';
import { recordPastChat } from '../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { AuditService } from './application/audit.service';
import { FiguresRepository } from './infrastructure/figures.repository';

jest.setTimeout(60_000);

describe('records of moderation', () => {
  let stack: TestStack;
  let mia: ThawVisitor;

  beforeAll(async () => {
    stack = await startTestStack(1);
    mia = await createModerator(stack);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const readAuditLog = (moderator: ThawVisitor) => createModeratorApi(mia).readAuditLog(moderator.user.id);
  /** Opens a case: Ada reports Bob. Both are new users. */
  const fileNewReport = async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    return { ada, bob, ...(await reportUser(stack.replicas[0]!, ada, bob, { category: 'sexual' })) };
  };

  describe('the audit log', () => {
    it('a moderator can list the reads and acts of another moderator, newest first', async () => {
      const noa = await createModerator(stack);
      const { bob, caseId } = await fileNewReport();
      const { list, read, claim, decide, call } = createModeratorApi(noa);
      // Reads of the queue within an hour are recorded once.
      await list();
      await list('?state=decided');
      const { version } = await read(caseId);
      await call('GET', `people/${bob.user.id}`);
      await claim(caseId);
      const versionWithNote = version + 2; // the claim and the note are one event each
      const note = await call('POST', `cases/${caseId}/notes`, { text: 'Looks bad.' });
      expect(note).toMatchObject({ status: 201, body: { version: versionWithNote } });
      const decision = {
        version: versionWithNote,
        outcome: 'suspended',
        rule: 'no_hate',
        facts: FACTS,
        until: formatHoursFromNow(2),
      };
      const { body } = await decide(caseId, decision);
      expect(body.state).toBe('decided');
      // A legal hold keeps the data about a user until it is lifted.
      await call('PUT', `people/${bob.user.id}/hold`, { isHeld: true, reason: 'The police asked.' });
      await call('PUT', `people/${bob.user.id}/hold`, { isHeld: false, reason: 'They are done.' });
      const about = { caseId, userId: bob.user.id, imageId: null };
      const aboutUser = { ...about, caseId: null };
      expect(await readAuditLog(noa)).toMatchObject([
        { action: 'hold_lifted', ...aboutUser },
        { action: 'held', ...aboutUser },
        { action: 'decided', ...about },
        { action: 'noted', ...about },
        { action: 'claimed', ...about },
        { action: 'person_read', ...aboutUser },
        { action: 'case_read', ...about },
        { action: 'queue_read', caseId: null, userId: null },
      ]);
    });

    it('refused acts are not recorded', async () => {
      const noa = await createModerator(stack);
      const { caseId } = await fileNewReport();
      await createModeratorApi(mia).claim(caseId);
      expect((await createModeratorApi(noa).claim(caseId)).status).toBe(409);
      expect((await createModeratorApi(noa).call('GET', 'cases/999999999999')).status).toBe(404);
      expect(await readAuditLog(noa)).toEqual([]);
    });

    it('the audit log is returned in pages of 100 entries', async () => {
      const noa = await createModerator(stack);
      const { caseId } = await fileNewReport();
      await createModeratorApi(noa).read(caseId);
      const caseRead = { moderatorId: noa.user.id, action: 'case_read' as const, caseId };
      const { app } = stack.replicas[0]!;
      await app.get(DataSource).transaction(async (manager) => {
        for (let count = 0; count < 100; count += 1) await app.get(AuditService).record(caseRead, manager);
      });
      const requestPage = (query = '') =>
        createModeratorApi(mia).call('GET', `audit?moderatorId=${noa.user.id}${query}`);
      const { body: first } = await requestPage();
      const { body: second } = await requestPage(`&cursor=${first.nextCursor as string}`);
      const ids = [first, second].flatMap(({ entries }) => (entries as AuditEntry[]).map(({ id }) => id));
      expect([(first.entries as unknown[]).length, ids.length, new Set(ids).size]).toEqual([100, 101, 101]);
      expect(second.nextCursor).toBeNull();
      expect((await requestPage('&cursor=x')).status).toBe(400);
    });

    it('a moderator can read cases at most 300 times an hour, even with LIMITS_PROFILE=load', async () => {
      const noa = await createModerator(stack);
      const { caseId } = await fileNewReport();
      // As if the moderator had read 299 times. The profile of the test stack is `load`.
      await stack.replicas[0]!.app.get(RateLimiterService).charge('evidence_reads', noa.user.id, 299);
      const statuses = [];
      for (let count = 0; count < 2; count += 1)
        statuses.push((await createModeratorApi(noa).call('GET', `cases/${caseId}`)).status);
      expect(statuses).toEqual([200, 429]);
    });
  });

  it('a read of the profile of a user with whom the moderator has had no contact is recorded', async () => {
    const [bob, formerPartner] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    const { status, body } = await mia.call('GET', `/api/user/${bob.user.id}`);
    const { id, username, avatar } = bob.user;
    expect({ status, body }).toEqual({ status: 200, body: { id, username, avatar, isOnline: false } });
    expect((await readAuditLog(mia))[0]).toMatchObject({ action: 'profile_read', userId: id, caseId: null });
    await recordPastChat(stack.replicas[0]!, mia, formerPartner);
    await mia.call('GET', `/api/user/${formerPartner.user.id}`);
    // Still the entry of the first profile: reading that of a former chat partner is not recorded.
    expect((await readAuditLog(mia))[0]).toMatchObject({ userId: id });
    expect((await mia.call('GET', '/api/user/999999999999')).status).toBe(404);
  });

  const suspend = async (caseId: number, until: string) => {
    const { version } = await createModeratorApi(mia).read(caseId);
    const decision = { version, outcome: 'suspended', rule: 'no_hate', facts: FACTS, until };
    expect((await createModeratorApi(mia).decide(caseId, decision)).status).toBe(200);
  };
  const readPerson = async ({ user }: ThawVisitor) =>
    (await createModeratorApi(mia).call('GET', `people/${user.id}`)).body as unknown as ModeratedPerson;

  it('moderators can read the standing, sanctions, cases and reports of a user', async () => {
    const { ada, bob, caseId } = await fileNewReport();
    await recordPastChat(stack.replicas[0]!, ada, bob); // counts as one match
    const until = formatHoursFromNow(2);
    await suspend(caseId, until);
    expect(await readPerson(bob)).toMatchObject({
      id: bob.user.id,
      username: bob.user.username,
      isAnonymous: true,
      standing: { kind: 'suspended', until },
      isHeld: false,
      matches: 1,
      reportsPer100Matches: 100, // one report in one match
      sanctions: [{ kind: 'suspended', rule: 'no_hate', until, liftedAt: null, isConfirmed: false, caseId }],
      cases: [{ id: caseId, state: 'decided', outcome: 'suspended' }],
      reportsMade: { total: 0, decided: 0, upheld: 0 },
      sameDeviceIds: [],
    });
    expect(await readPerson(ada)).toMatchObject({ reportsMade: { total: 1, decided: 1, upheld: 1 } });
  });

  it('a moderator can lift a sanction, but only once', async () => {
    const { bob, caseId } = await fileNewReport();
    await suspend(caseId, formatHoursFromNow(2));
    const { sanctions } = await readPerson(bob);
    const lift = () =>
      createModeratorApi(mia).call('POST', `sanctions/${sanctions[0]!.id}/lift`, { reason: 'Too long.' });
    expect(await lift()).toMatchObject({ status: 200, body: { standing: { kind: 'good' } } });
    // `already_answered` also means that a sanction is no longer in force.
    expect(await lift()).toMatchObject({ status: 409, body: { code: 'already_answered' } });
  });

  it('a read of a user is answered with 404 if the id is unknown or malformed', async () => {
    for (const path of ['people/999999999999', 'people/x'])
      expect((await createModeratorApi(mia).call('GET', path)).status).toBe(404);
  });

  it('moderators can read which other accounts were used on the devices of a user', async () => {
    const [bob, other] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    await stack.database.dataSource.query(
      `INSERT INTO devices (device_hash, user_id, first_seen_at, seen_at)
       SELECT 'one device', id, now(), now() FROM unnest($1::bigint[]) AS id`,
      [[bob.user.id, other.user.id]],
    );
    const { body } = await createModeratorApi(mia).call('GET', `people/${bob.user.id}`);
    expect(body.sameDeviceIds).toEqual([other.user.id]);
  });

  it('statistics are returned over HTTP', async () => {
    await fileNewReport();
    const { body } = await createModeratorApi(mia).call('GET', 'metrics');
    const figures = body as unknown as ModerationFigures;
    expect(figures.openCases).toBeGreaterThan(0);
    expect(figures.oldestOpenCaseAgeS).toBeGreaterThan(0);
    expect(figures.reportsByCategory.sexual).toBeGreaterThan(0);
    // The decisions of the tests above.
    expect(figures.decisions).toContainEqual({
      outcome: 'suspended',
      by: 'moderator',
      count: expect.any(Number),
    });
  });

  it('a worker exposes the statistics as metrics, and omits these while PostgreSQL fails', async () => {
    const worker = await stack.startWorker();
    const readMetrics = async () => (await worker.app.get(MetricsRegistry).expose()).body;
    jest
      .spyOn(worker.app.get(FiguresRepository), 'read')
      .mockRejectedValueOnce(new Error('PostgreSQL is unreachable'));
    expect(await readMetrics()).not.toMatch(/^thaw_moderation_open_cases/m);
    // The reports and decisions of the tests above.
    const metrics = await readMetrics();
    expect(metrics).toMatch(/^thaw_moderation_open_cases \d+$/m);
    expect(metrics).toMatch(/^thaw_moderation_reports\{category="sexual"\} \d+$/m);
    expect(metrics).toMatch(/^thaw_moderation_decisions\{outcome="suspended",by="moderator"\} \d+$/m);
    expect(metrics).toMatch(/^thaw_moderation_decision_seconds\{quantile="0.95"\} [\d.]+$/m);
    await worker.stop();
  });
});
