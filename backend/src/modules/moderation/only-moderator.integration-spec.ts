// Uses real PostgreSQL and Redis, with two api replicas over HTTP. On the second replica, SOLO_REVIEW_AFTER_S is 0: the
// only moderator may review their own decision without a delay.
import type { Notice } from '@thaw/contract/safety';
import {
  createModerator,
  createModeratorApi,
  FACTS,
  MODERATOR_PASSWORD,
  reportUser,
} from '../../testing/moderation.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import { ThawVisitor } from '../../testing/thaw.client';

jest.setTimeout(60_000);

describe('moderation by a single moderator', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1);
    await stack.addReplica({ SOLO_REVIEW_AFTER_S: '0' });
  });
  afterAll(() => stack.close());

  it('lets the moderator confirm a ban and decide its appeal after a delay, which both notices mention', async () => {
    const mia = await createModerator(stack);
    const api = createModeratorApi(mia);
    // Mia also logs in on the second replica, where the delay is over.
    const miaAfterDelay = await new ThawVisitor([stack.origins[1]!]).logIn(
      String(mia.user.email),
      MODERATOR_PASSWORD,
    );
    const apiAfterDelay = createModeratorApi(miaAfterDelay);
    // Ada reports Bob.
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    const { caseId } = await reportUser(stack.replicas[0]!, ada, bob);
    const { version } = await api.read(caseId);
    const ban = { version, outcome: 'banned', rule: 'no_threats', facts: FACTS };
    // A ban has to be confirmed, normally by another moderator.
    const { body } = await api.decide(caseId, ban);
    expect(body).toMatchObject({ kind: 'confirmation', excludes: [mia.user.id] });
    const confirmation = { version: body.version, isConfirmed: true };
    const refused = { status: 409, body: { code: 'own_decision' } };
    // On the first replica, the delay is not over yet.
    expect(await api.confirm(caseId, confirmation)).toMatchObject(refused);
    // On the second replica it is over, so Mia is not excluded.
    expect(await apiAfterDelay.read(caseId)).toMatchObject({ excludes: [] });

    // While there is a second moderator, Mia may not confirm the ban.
    const secondModerator = await createModerator(stack);
    expect(await apiAfterDelay.read(caseId)).toMatchObject({ excludes: [mia.user.id] });
    expect(await apiAfterDelay.confirm(caseId, confirmation)).toMatchObject(refused);
    await stack.database.dataSource.query('UPDATE users SET is_moderator = false WHERE id = $1', [
      secondModerator.user.id,
    ]);
    expect(await apiAfterDelay.confirm(caseId, confirmation)).toMatchObject({
      status: 200,
      body: { state: 'decided', standing: 'banned' },
    });

    const soloRemark = 'Decided by the same moderator, since there is only one.';
    const readNotices = async () =>
      (await bob.call('GET', `/api/notices/${bob.user.id}`)).body as unknown as Notice[];
    const [notice] = await readNotices();
    expect(notice).toMatchObject({ kind: 'ban', facts: `${FACTS} ${soloRemark}` });
    const appeal = await bob.call('POST', '/api/appeals', {
      userId: bob.user.id,
      noticeId: notice?.id,
      words: 'It was a quote.',
    });
    const decision = {
      version: (await apiAfterDelay.read(caseId)).version,
      outcome: 'upheld',
      answer: 'The quote does not change what you wrote.',
    };
    expect((await apiAfterDelay.answer(Number(appeal.body.id), decision)).status).toBe(200);
    expect((await readNotices())[0]).toMatchObject({
      kind: 'appeal_decided',
      appeal: {
        outcome: 'upheld',
        answer: `${decision.answer} ${soloRemark}`,
      },
    });
  });
});
