// Real: PostgreSQL, Redis, two api replicas over HTTP: on the second one, the only moderator may take both looks at once.
import { createModerator, FACTS, moderating, reportUser } from '../../testing/moderation.fixture';
import { startTestReplicas, type TestReplicas } from '../../testing/test-replicas.harness';
import { ThawVisitor } from '../../testing/thaw.client';

jest.setTimeout(60_000);

describe('the only moderator', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(1);
    await thaw.add({ SOLO_REVIEW_AFTER_S: '0' });
  });
  afterAll(() => thaw.close());

  it('confirms their own ban after a while, and not before, until there is another moderator', async () => {
    const mia = await createModerator(thaw);
    const later = await new ThawVisitor([thaw.origins[1]!]).logIn(String(mia.user.email), 'a good password');
    const [ada, bob] = [await thaw.createVisitor(0), await thaw.createVisitor(0)];
    const { caseId } = await reportUser(thaw.replicas[0]!, ada, bob);
    const { version } = await moderating(mia).read(caseId);
    const ban = { version, outcome: 'banned', rule: 'no_threats', facts: FACTS };
    const { body } = await moderating(mia).decide(caseId, ban);
    expect(body).toMatchObject({ kind: 'confirmation', excludes: [mia.user.id] });
    const confirmation = { version: body.version, isConfirmed: true };
    const refused = { status: 409, body: { code: 'own_decision' } };
    expect(await moderating(mia).confirm(caseId, confirmation)).toMatchObject(refused);
    expect(await moderating(later).read(caseId)).toMatchObject({ excludes: [] });

    const max = await createModerator(thaw);
    expect(await moderating(later).read(caseId)).toMatchObject({ excludes: [mia.user.id] });
    expect(await moderating(later).confirm(caseId, confirmation)).toMatchObject(refused);
    await thaw.database.dataSource.query('UPDATE users SET is_moderator = false WHERE id = $1', [
      max.user.id,
    ]);
    expect(await moderating(later).confirm(caseId, confirmation)).toMatchObject({
      status: 200,
      body: { state: 'decided', standing: 'banned' },
    });
  });
});
