// Uses real PostgreSQL. The tests write the rows of the read models directly, as the projections would.
import type { CaseFilter, CaseKind } from '@thaw/contract/moderation';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.harness';
import { buildCasePageSql } from './case-queue.sql';
import { CaseRepository, type CaseRow, type PagePosition } from './case.repository';

jest.setTimeout(60_000);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ANY_EVENT_ID = '00000000-0000-4000-8000-000000000000';

describe('CaseRepository', () => {
  let database: TestDatabase;
  let cases: CaseRepository;
  /** The id of the row that was inserted last. Other ids that only have to be new are derived from it. */
  let lastId = 0;
  /** The time as of which the lists are computed. */
  const now = new Date();
  const subtractMs = (ms: number): Date => new Date(now.getTime() - ms);
  const addMs = (ms: number): Date => new Date(now.getTime() + ms);

  beforeAll(async () => {
    database = await createTestDatabase();
    cases = new CaseRepository(database.dataSource, new EventTypeRegistry());
  });
  afterEach(async () => {
    await database.dataSource.query('DELETE FROM conduct_cases; DELETE FROM reports; DELETE FROM appeals');
    await database.dataSource.query('DELETE FROM sanctions; DELETE FROM standings');
  });
  afterAll(() => database.close());

  /** Inserts a row with a new id. @returns the id */
  const insertRow = async (table: string, row: object): Promise<number> => {
    const id = (lastId += 1);
    const entries = Object.entries({ id, ...row });
    await database.dataSource.query(
      `INSERT INTO ${table} (${entries.map(([column]) => column).join(', ')})
       VALUES (${entries.map((_, index) => `$${index + 1}`).join(', ')})`,
      entries.map(([, value]) => value as unknown),
    );
    return id;
  };
  /** Adds an open case, by default about a new user. */
  const addCase = (row: object = {}): Promise<number> =>
    insertRow('conduct_cases', {
      user_id: lastId + 1_000, // above the ids that tests choose
      state: 'open',
      kind: 'reports' satisfies CaseKind,
      version: 1,
      opened_at: now,
      ...row,
    });
  /** Adds a report, by default by a new reporter. */
  const addReport = (caseId: number, row: object = {}): Promise<number> =>
    insertRow('reports', {
      case_id: caseId,
      user_id: 1, // not read by the lists, which find reports by their case
      reporter_id: lastId + 5_000,
      counts_as: lastId + 5_000,
      weight: 1,
      category: 'sexual',
      place: 'private_chat',
      chat_at: now,
      created_at: now,
      event_id: ANY_EVENT_ID,
      ...row,
    });
  const addSanction = (userId: number, row: object = {}): Promise<number> =>
    insertRow('sanctions', {
      user_id: userId,
      kind: 'suspended',
      rule: 'no_hate',
      starts_at: subtractMs(DAY_MS),
      notice_id: lastId + 1, // the user's notice of the sanction
      is_automatic: false,
      ...row,
    });
  /** Adds an open appeal by the user of the case. */
  const addAppeal = (
    caseId: number,
    row: { user_id: number; notice_id: number; created_at: Date },
  ): Promise<number> =>
    insertRow('appeals', { case_id: caseId, appellant_id: row.user_id, event_id: ANY_EVENT_ID, ...row });

  // The list 'open' is the queue: all cases that wait for a moderator.
  const findPage = (filter: CaseFilter, limit: number, after: PagePosition | null = null) =>
    cases.findPage(filter, now, limit, after);
  const findAll = (filter: CaseFilter): Promise<CaseRow[]> => findPage(filter, 100);
  const toIds = (rows: readonly CaseRow[]): number[] => rows.map(({ id }) => Number(id));
  const findIds = async (filter: CaseFilter): Promise<number[]> => toIds(await findAll(filter));
  const findSingleCase = async (filter: CaseFilter = 'open'): Promise<CaseRow> => {
    const rows = await findAll(filter);
    expect(rows).toHaveLength(1);
    return rows[0]!;
  };

  describe('the urgency of a case', () => {
    it('is a base for the gravest category, plus points for further reporters, sanctions, automation and waiting', async () => {
      const id = await addCase({ user_id: 9, opened_at: subtractMs(5.5 * HOUR_MS), is_automatic: true });
      for (const category of ['sexual', 'sexual', 'hate']) await addReport(id, { category });
      await addSanction(9);
      expect(await findSingleCase()).toMatchObject({
        urgency: 300 + 80 + 60 + 50 + 20,
        base: 300, // the category `sexual`
        reporters: 3,
        reporters_part: 80, // two further reporters, 40 each
        priors: 1,
        priors_part: 60, // one earlier sanction
        automatic_part: 50,
        waiting_part: 20, // five full hours, 4 each
        is_halved: false,
        kind: 'reports',
        categories: { sexual: 2, hate: 1 },
      });
    });

    it('is capped, and so are its parts for reporters, earlier sanctions and waiting', async () => {
      const id = await addCase({ user_id: 9, opened_at: subtractMs(90 * DAY_MS), is_automatic: true });
      // The gravest category: the report is about a minor.
      for (let count = 0; count < 8; count += 1) await addReport(id, { category: 'minor' });
      for (let count = 0; count < 5; count += 1) await addSanction(9);
      expect(await findSingleCase()).toMatchObject({
        urgency: 1_000,
        base: 600,
        reporters_part: 200,
        priors_part: 180,
        waiting_part: 200,
      });
    });

    it('counts the reporters of one device once', async () => {
      const id = await addCase();
      await addReport(id, { counts_as: 4 });
      await addReport(id, { counts_as: 4 });
      expect(await findSingleCase()).toMatchObject({ urgency: 300, reporters: 1, is_halved: false });
    });

    // Weight 0 is that of excluded or unreliable reporters.
    it('is halved when no reporter has weight 1', async () => {
      const id = await addCase();
      await addReport(id, { weight: 0 });
      await addReport(id, { weight: 0 });
      expect(await findSingleCase()).toMatchObject({ urgency: 300 / 2, reporters: 0, is_halved: true });
    });

    it('ignores sanctions that were lifted, are older than a year, or come from the same case', async () => {
      const id = await addCase({ user_id: 9 });
      await addReport(id);
      await addSanction(9, { lifted_at: now });
      await addSanction(9, { starts_at: subtractMs(366 * DAY_MS) });
      // An automatic sanction is imposed while the case is still open.
      await addSanction(9, { case_id: id, is_automatic: true });
      expect(await findSingleCase()).toMatchObject({ urgency: 300, priors: 0 });
    });

    // A finding is what the service itself noticed. It is never halved, because it has no reporters.
    it.each([
      ['stated_age', 600],
      ['image_match', 500],
      ['classifier', 300],
      ['many_accounts', 150],
    ])('for the finding %s is %i, and is not halved', async (finding, urgency) => {
      await addCase({ kind: 'finding', finding });
      expect(await findSingleCase()).toMatchObject({ urgency, kind: 'finding', is_halved: false });
    });

    // The stored kind of the next two cases is 'reports'. The list shows the kind of the gravest reason instead.
    it('comes from the finding if it is graver than the reports, and so does the kind of the case', async () => {
      const id = await addCase({ finding: 'many_accounts' });
      await addReport(id, { category: 'spam' });
      expect(await findSingleCase()).toMatchObject({ kind: 'finding', base: 150, urgency: 150 });
    });

    it('comes from the gravest report if it is graver than the finding, and so does the kind of the case', async () => {
      const id = await addCase({ finding: 'many_accounts' });
      await addReport(id, { category: 'spam' });
      await addReport(id, { category: 'threat' });
      const pointsForFurtherReporter = 40;
      expect(await findSingleCase()).toMatchObject({
        kind: 'reports',
        base: 450,
        urgency: 450 + pointsForFurtherReporter,
      });
    });
  });

  describe('a decided case', () => {
    const decided = {
      state: 'decided',
      opened_at: subtractMs(40 * DAY_MS),
      decided_at: subtractMs(30 * DAY_MS),
      decided_by: 3,
    };
    const appeal = { user_id: 9, notice_id: 77, created_at: subtractMs(2 * HOUR_MS) };
    /** How the queue shows the case because of the appeal. */
    const waitingForAppeal = {
      state: 'open',
      kind: 'appeal',
      waiting_since: appeal.created_at,
      waiting_part: 2 * 4,
    };

    it('waits again while an appeal is open, more urgently if the appealed sanction is in force', async () => {
      const id = await addCase({ user_id: 9, ...decided });
      expect(await findIds('open')).toEqual([]);
      await addSanction(9, { case_id: id, notice_id: appeal.notice_id, until: addMs(HOUR_MS) });
      await addAppeal(id, appeal);
      expect(await findSingleCase('open')).toMatchObject({ ...waitingForAppeal, base: 400 });
      expect(await findIds('decided')).toEqual([]);
    });

    it('waits less urgently for an appeal without a sanction in force', async () => {
      const id = await addCase({ user_id: 9, ...decided });
      await addAppeal(id, appeal);
      expect(await findSingleCase('open')).toMatchObject({ ...waitingForAppeal, base: 350 });
    });

    it('no longer waits once its appeal is decided', async () => {
      const id = await addCase({ user_id: 9, ...decided });
      await addSanction(9, { case_id: id, notice_id: appeal.notice_id, until: addMs(HOUR_MS) });
      await addAppeal(id, appeal);
      await database.dataSource.query('UPDATE appeals SET decided_at = $1', [now]);
      expect(await findIds('open')).toEqual([]);
      expect(await findSingleCase('decided')).toMatchObject({ state: 'decided', urgency: 0, base: 0 });
    });

    it('waits again until its ban is confirmed', async () => {
      const id = await addCase({ user_id: 9, ...decided });
      await addSanction(9, { case_id: id, kind: 'banned', starts_at: subtractMs(HOUR_MS) });
      expect(await findSingleCase('open')).toMatchObject({
        state: 'open',
        kind: 'confirmation',
        base: 380,
        waiting_part: 4, // one full hour
        urgency: 384,
      });
      await database.dataSource.query('UPDATE sanctions SET confirmed_at = $1', [now]);
      expect(await findIds('open')).toEqual([]);
    });

    it('does not wait for the confirmation of an inherited ban', async () => {
      // A new account inherits the ban of an earlier account, for example on the same device.
      const id = await addCase({ user_id: 9, ...decided, decided_by: null });
      await addSanction(9, { case_id: id, kind: 'banned', is_automatic: true, inherited_from: 5 });
      expect(await findIds('open')).toEqual([]);
      expect(await findIds('decided')).toEqual([id]);
    });
  });

  it('the queue is ordered by urgency, then by waiting time (longest first), then by id', async () => {
    const openedMinutesAgo = (count: number) => ({ opened_at: subtractMs(count * MINUTE_MS) });
    const newer = await addCase(openedMinutesAgo(1));
    const older = await addCase(openedMinutesAgo(2));
    const equallyNew = await addCase(openedMinutesAgo(1));
    const mostUrgent = await addCase({ kind: 'finding', finding: 'stated_age' });
    for (const id of [newer, older, equallyNew]) await addReport(id);
    expect(await findIds('open')).toEqual([mostUrgent, older, newer, equallyNew]);
  });

  it('paging through the queue repeats and skips no case while further reports and cases arrive', async () => {
    // With few categories and waiting times, many cases have the same urgency.
    const categories = ['minor', 'threat', 'sexual', 'hate', 'spam', 'other'];
    const waitingMinutes = [0, 25, 50, 75, 100, 125, 150];
    for (let index = 0; index < 30; index += 1) {
      const minutes = waitingMinutes[index % waitingMinutes.length]!;
      const id = await addCase({ opened_at: subtractMs(minutes * MINUTE_MS) });
      await addReport(id, {
        category: categories[index % categories.length],
        created_at: subtractMs(MINUTE_MS),
      });
    }
    const expected = await findIds('open');
    const leastUrgentId = expected.at(-1)!;
    /** Makes the least urgent case the most urgent one, and adds a case. The list ends at `now`, so it ignores both. */
    const addReportsAndCaseAfterNow = async (): Promise<void> => {
      const later = addMs(1);
      for (let count = 0; count < 5; count += 1)
        await addReport(leastUrgentId, { category: 'minor', created_at: later });
      const newId = await addCase({ opened_at: later });
      await addReport(newId, { category: 'minor', created_at: later });
    };
    const seen: number[] = [];
    let page = await findPage('open', 4);
    while (page.length > 0) {
      seen.push(...toIds(page));
      await addReportsAndCaseAfterNow();
      const { urgency, waiting_since: sortTime, id } = page.at(-1)!;
      page = await findPage('open', 4, { urgency, sortTime, id: Number(id) });
    }
    expect(seen).toEqual(expected);
  });

  it('decided cases are listed newest first, page by page', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.push(await addCase({ state: 'decided', decided_at: subtractMs(index * HOUR_MS), decided_by: 3 }));
    const firstPage = await findPage('decided', 2);
    expect(toIds(firstPage)).toEqual(ids.slice(0, 2));
    const { decided_at: sortTime, id } = firstPage.at(-1)!;
    const secondPage = await findPage('decided', 9, { urgency: 0, sortTime: sortTime!, id: Number(id) });
    expect(toIds(secondPage)).toEqual(ids.slice(2));
  });

  it("the filter 'held' selects the open and decided cases of users under a legal hold", async () => {
    const openId = await addCase({ user_id: 9 });
    const decidedId = await addCase({ user_id: 9, state: 'decided' });
    await addCase({ user_id: 10 });
    await addReport(openId); // more urgent, so it comes first
    await database.dataSource.query('INSERT INTO standings (user_id, is_held) VALUES (9, true), (10, false)');
    expect(await findIds('held')).toEqual([openId, decidedId]);
  });

  it('a case is claimed (reserved for a moderator) until its claim expires', async () => {
    // Claims are compared with the clock of PostgreSQL, not with `now`.
    await addCase({ claimed_by: 4, claimed_until: new Date(Date.now() + 60_000) });
    expect(await findSingleCase()).toMatchObject({ is_claimed: true, claimed_by: '4' });
    await database.dataSource.query(`UPDATE conduct_cases SET claimed_until = now() - interval '1 second'`);
    expect(await findSingleCase()).toMatchObject({ is_claimed: false });
  });

  it('a page of a queue of 10,000 cases is found without a sequential scan for each case', async () => {
    await addLargeQueue(database);
    const rowCount = 101; // a page of 100 cases, and one that shows whether there is another page
    // The first page follows no other, so there is no last case with a waiting time, id and urgency.
    const lastCaseOfPreviousPage = [null, null, null];
    const [row] = await database.dataSource.query<[ExplainRow]>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${buildCasePageSql('open')}`,
      [now, rowCount, ...lastCaseOfPreviousPage],
    );
    const nodes = flattenPlan(row['QUERY PLAN'][0].Plan);
    expect(nodes[0]).toMatchObject({ 'Actual Rows': rowCount });
    const repeatedScans = nodes.filter(
      (node) => node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 1,
    );
    expect(repeatedScans).toEqual([]);
  });
});

/**
 * Adds 10,000 cases with three reports each. The ids of the cases count from 100,000, and each user has the id of their
 * case. Every second user has an earlier sanction.
 */
const addLargeQueue = async ({ dataSource }: TestDatabase): Promise<void> => {
  await dataSource.query(`
    INSERT INTO conduct_cases (id, user_id, state, kind, version, opened_at)
    SELECT n, n, 'open', 'reports', 1, now() - n * interval '1 minute' FROM generate_series(100000, 109999) AS n;
    INSERT INTO reports
      (id, case_id, user_id, reporter_id, counts_as, weight, category, place,
       chat_at, created_at, event_id)
    SELECT
       200000 + 3 * n + k, 100000 + n, 100000 + n, n, n + k, 1, 'hate', 'private_chat',
       now(), now() - interval '1 hour', gen_random_uuid()
    FROM generate_series(0, 9999) AS n, generate_series(0, 2) AS k;
    INSERT INTO sanctions (id, user_id, kind, rule, starts_at, notice_id, is_automatic)
    SELECT n, n, 'suspended', 'no_hate', now() - interval '9 days', n, false
    FROM generate_series(100000, 109999, 2) AS n;
    ANALYZE conduct_cases; ANALYZE reports; ANALYZE sanctions`);
};

/** A step of a query plan. */
interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}
/** The only row of EXPLAIN with FORMAT JSON. */
interface ExplainRow {
  'QUERY PLAN': [{ Plan: PlanNode }];
}
const flattenPlan = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flattenPlan)];
