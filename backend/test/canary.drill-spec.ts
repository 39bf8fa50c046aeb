/**
 * A user whose every text is a unique word is deleted on what `npm start` runs. Afterwards no word is in PostgreSQL,
 * Redis, the files, the logs or the metrics, except in what the receipt lists as kept, and there only until its time is
 * over.
 */
import { type Receipt } from '@thaw/contract/my-data';
import type { ModerationCase } from '@thaw/contract/moderation';
import type { Notice } from '@thaw/contract/safety';
import { Client } from 'pg';
import { type Stack, startStack } from '../../deploy/local/thaw-stack.mjs';
import { canary, chat, createWords, register, writePrivately } from '../src/testing/canary-user.driver';
import { deleteAccount, readReceipt, waitForReceipt } from '../src/testing/erasure.fixture';
import { fileReport } from '../src/testing/reports.fixture';
import { ThawVisitor } from '../src/testing/thaw.client';
import { until } from '../src/testing/until.functions';
import { findWords, readPlaces } from './canary-places';

jest.setTimeout(240_000);

const PASSWORD = 'correct horse';
const FACTS = 'You went on after your partner had asked you to stop.';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    replicas: 2,
    env: {
      DATABASE_URL: '',
      REDIS_URL: '',
      LOG_LEVEL: 'trace',
      EXPIRE_EVERY_S: '1',
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
    },
  });
});
afterAll(() => stack?.stop());

const createModerator = async (): Promise<ThawVisitor> => {
  const email = `${canary()}@example.org`;
  const moderator = await new ThawVisitor([stack.url]).register(email, PASSWORD);
  await stack.appointModerator(email);
  return moderator;
};

/** Decides the open case of a user. */
const decide = async (moderator: ThawVisitor, userId: number, decision: object): Promise<void> => {
  const { body } = await moderator.call('GET', '/api/moderation/cases?state=open');
  const found = (body.cases as ModerationCase[]).find((item) => item.userId === userId)!;
  const path = `/api/moderation/cases/${found.id}/decision`;
  const { status } = await moderator.call('POST', path, { version: found.version, ...decision });
  expect(status).toBe(200);
};

const runSql = async (query: string): Promise<void> => {
  const client = new Client({ connectionString: stack.stores.databaseUrl });
  await client.connect();
  await client.query(query);
  await client.end();
};

it('leaves none of the words of a deleted user anywhere', async () => {
  const words = createWords();
  const ada = await register(stack.url, words);
  const [bob, eve] = [
    await new ThawVisitor([stack.url]).joinAnonymously('male'),
    await new ThawVisitor([stack.url]).joinAnonymously('male'),
  ];
  const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
  const users = { ada, bob, adaSocket, bobSocket, words };
  const sessionId = await chat(users);
  await writePrivately(users);

  // Reported, warned and appealed; and a report by the user, which is dismissed.
  const [first, second] = [await createModerator(), await createModerator()];
  expect((await fileReport(bob, ada, { sessionId, words: 'did not stop' })).status).toBe(201);
  await decide(first, ada.user.id, { outcome: 'warned', rule: 'no_hate', facts: FACTS });
  const { body: notices } = await ada.call('GET', `/api/notices/${ada.user.id}`);
  const { id: noticeId } = (notices as unknown as Notice[])[0]!;
  const appeal = await ada.call('POST', '/api/appeals', {
    userId: ada.user.id,
    noticeId,
    words: words.appealWords,
  });
  expect(appeal.status).toBe(201);
  const { body: queue } = await second.call('GET', '/api/moderation/cases?state=open');
  const [{ version }] = queue.cases as [ModerationCase];
  const answered = await second.call('PUT', `/api/moderation/appeals/${Number(appeal.body.id)}`, {
    version,
    outcome: 'upheld',
    answer: FACTS,
  });
  expect(answered.status).toBe(200);
  expect((await fileReport(ada, bob, { sessionId, words: words.reportWords })).status).toBe(201);
  await decide(first, bob.user.id, { outcome: 'dismissed' });
  await eve.call('POST', '/api/blocks', { blockerId: eve.user.id, blockedId: ada.user.id });

  // The words are where they are looked for.
  await runSql('ANALYZE');
  const before = findWords(await readPlaces(stack), words);
  expect(before).toEqual(
    expect.arrayContaining(['message in public.event_private', 'message in redis', 'name in public.users']),
  );
  const startedAt = Date.now();
  const receiptId = await deleteAccount(ada, words.password);
  const receipt: Receipt = await waitForReceipt(stack.url, receiptId);
  expect(Date.now() - startedAt).toBeLessThan(60_000);

  // The copies in both reports, and the facts of the warning, are kept for their time.
  expect(receipt.content!.kept.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    'texts of decisions and appeals about you: appeal_window',
    'evidence of a report about you: appeal_window',
    'evidence of a report by you: appeal_window',
  ]);
  const kept = findWords(await readPlaces(stack), words);
  expect(kept.filter((found) => !found.endsWith(' in public.event_private'))).toEqual([]);
  for (const own of ['reportWords', 'appealWords'])
    expect(kept).not.toContain(`${own} in public.event_private`);

  await runSql(`UPDATE event_private SET expires_at = now() WHERE stream_id LIKE 'conduct-%'`);
  await until(
    () => readReceipt(stack.url, receiptId),
    ({ remaining }) => remaining.personalFields === 0,
  );
  await until(
    async () => findWords(await readPlaces(stack), words),
    (found) => found.length === 0,
  );
});
