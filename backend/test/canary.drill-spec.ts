/**
 * Runs the processes that `npm start` runs, with two replicas. Deletes a user each of whose texts contains a unique
 * word (a canary). Afterwards none of the words is in PostgreSQL, Redis, the files, the logs or the metrics, except in
 * the data that the receipt lists as kept, and there only until its retention period ends.
 */
import { type Receipt } from '@thaw/contract/my-data';
import type { ModerationCase } from '@thaw/contract/moderation';
import type { Notice } from '@thaw/contract/safety';
import { Client } from 'pg';
import { type Stack, startStack } from '../../deploy/local/thaw-stack.mjs';
import {
  createCanaryWord,
  holdRandomChat,
  createWords,
  registerAndChangeProfile,
  writePrivately,
} from '../src/testing/canary-user.driver';
import { deleteAccount, readReceipt, waitForReceipt } from '../src/testing/erasure.fixture';
import { fileReport } from '../src/testing/reports.fixture';
import { ThawVisitor } from '../src/testing/thaw.client';
import { until } from '../src/testing/until.functions';
import { findWords, readPlaces } from './canary-places';

jest.setTimeout(240_000);

/** The dialog in which the user deletes the account promises this. */
const ERASED_WITHIN_MS = 60_000;
const PASSWORD = 'correct horse';
/** What the moderators write, without words of the user. */
const MODERATOR_TEXT = 'You went on after your partner had asked you to stop.';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    replicas: 2,
    // Empty addresses make the stack start its own PostgreSQL and Redis.
    env: {
      DATABASE_URL: '',
      REDIS_URL: '',
      LOG_LEVEL: 'trace',
      EXPIRE_EVERY_S: '1', // expired data is deleted within a second
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
    },
  });
});
afterAll(() => stack?.stop());

const createModerator = async (): Promise<ThawVisitor> => {
  const email = `${createCanaryWord()}@example.org`;
  const moderator = await new ThawVisitor([stack.url]).register(email, PASSWORD);
  await stack.appointModerator(email);
  return moderator;
};

/** Decides the open case about a user. */
const decideCase = async (moderator: ThawVisitor, userId: number, decision: object): Promise<void> => {
  const { body } = await moderator.call('GET', '/api/moderation/cases?state=open');
  const openCase = (body.cases as ModerationCase[]).find((item) => item.userId === userId)!;
  const path = `/api/moderation/cases/${openCase.id}/decision`;
  const { status } = await moderator.call('POST', path, { version: openCase.version, ...decision });
  expect(status).toBe(200);
};

const runSql = async (query: string): Promise<void> => {
  const client = new Client({ connectionString: stack.stores.databaseUrl });
  await client.connect();
  await client.query(query);
  await client.end();
};

it('leaves no word of a deleted user anywhere once the retention of the kept data ends', async () => {
  const words = createWords();
  const ada = await registerAndChangeProfile(stack.url, words);
  const bob = await new ThawVisitor([stack.url]).joinAnonymously('male');
  const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
  const writingUsers = { ada, bob, adaSocket, bobSocket, words };
  const sessionId = await holdRandomChat(writingUsers);
  await writePrivately(writingUsers);

  // The user is reported and warned, and appeals. The user also reports the partner, and that report is dismissed.
  // Another moderator than the one who decided must answer the appeal.
  const [moderator, appealModerator] = [await createModerator(), await createModerator()];
  expect((await fileReport(bob, ada, { sessionId, words: 'did not stop' })).status).toBe(201);
  await decideCase(moderator, ada.user.id, { outcome: 'warned', rule: 'no_hate', facts: MODERATOR_TEXT });
  const { body: notices } = await ada.call('GET', `/api/notices/${ada.user.id}`);
  const { id: noticeId } = (notices as unknown as Notice[])[0]!;
  const appeal = await ada.call('POST', '/api/appeals', {
    userId: ada.user.id,
    noticeId,
    words: words.appealWords,
  });
  expect(appeal.status).toBe(201);
  const { body: queue } = await appealModerator.call('GET', '/api/moderation/cases?state=open');
  const [{ version }] = queue.cases as [ModerationCase];
  const appealAnswer = await appealModerator.call(
    'PUT',
    `/api/moderation/appeals/${Number(appeal.body.id)}`,
    {
      version,
      outcome: 'upheld',
      answer: MODERATOR_TEXT,
    },
  );
  expect(appealAnswer.status).toBe(200);
  expect((await fileReport(ada, bob, { sessionId, words: words.reportWords })).status).toBe(201);
  await decideCase(moderator, bob.user.id, { outcome: 'dismissed' });
  const block = await bob.call('POST', '/api/blocks', { blockerId: bob.user.id, blockedId: ada.user.id });
  expect(block.status).toBe(201);

  // Proves that `findWords` finds stored words. ANALYZE fills the planner's samples of columns, which it searches, too.
  await runSql('ANALYZE');
  const findingsBefore = findWords(await readPlaces(stack), words);
  expect(findingsBefore).toEqual(
    expect.arrayContaining(['message in public.event_private', 'message in redis', 'name in public.users']),
  );
  const startedAt = Date.now();
  const receiptId = await deleteAccount(ada, words.password);
  const receipt: Receipt = await waitForReceipt(stack.url, receiptId);
  expect(Date.now() - startedAt).toBeLessThan(ERASED_WITHIN_MS);

  // The evidence of both reports, and what the moderators wrote about the user, are kept for some time after the
  // decisions, in which appeals are possible (`appeal_window`).
  expect(receipt.content!.kept.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    'texts of decisions and appeals about you: appeal_window',
    'evidence of a report about you: appeal_window',
    'evidence of a report by you: appeal_window',
  ]);
  const keptFindings = findWords(await readPlaces(stack), words);
  expect(keptFindings.filter((finding) => !finding.endsWith(' in public.event_private'))).toEqual([]);
  // The kept evidence is a copy of the chat. The words that the user wrote in the report and the appeal are deleted.
  for (const name of ['reportWords', 'appealWords'])
    expect(keptFindings).not.toContain(`${name} in public.event_private`);

  // Ends the retention period of the kept data.
  await runSql(`UPDATE event_private SET expires_at = now() WHERE stream_id LIKE 'conduct-%'`);
  await until(
    () => readReceipt(stack.url, receiptId),
    ({ remaining }) => remaining.personalFields === 0,
  );
  await until(
    async () => findWords(await readPlaces(stack), words),
    (findings) => findings.length === 0,
  );
});
