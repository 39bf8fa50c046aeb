/**
 * Runs the processes that `npm start` runs, with two replicas. A user, whose texts all contain unique words
 * (canaries), is deleted. Afterwards none of the words is in PostgreSQL, Redis, the files, the logs or the metrics,
 * except in the data that the receipt lists as kept, and there only until its retention period ends.
 */
import { type Receipt } from '@thaw/contract/my-data';
import type { CaseItem } from '@thaw/contract/moderation';
import type { Notice } from '@thaw/contract/safety';
import { Client } from 'pg';
import { type Stack, startStack } from '../../deploy/local/thaw-stack.mjs';
import {
  createCanaryWord,
  holdRandomChat,
  createWords,
  registerAndChangeProfile,
  type Words,
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
/** The table with the personal data of events, where the kept data is. */
const KEPT_IN = 'public.event_private';

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

const readOpenCase = async (moderator: ThawVisitor, { user }: ThawVisitor): Promise<CaseItem> => {
  const { body } = await moderator.call('GET', '/api/moderation/cases?state=open');
  return (body.cases as CaseItem[]).find(({ userId }) => userId === user.id)!;
};

/** Decides the open case about a user. */
const decideCase = async (moderator: ThawVisitor, about: ThawVisitor, decision: object): Promise<void> => {
  const { id, version } = await readOpenCase(moderator, about);
  const path = `/api/moderation/cases/${id}/decision`;
  const { status } = await moderator.call('POST', path, { version, ...decision });
  expect(status).toBe(200);
};

interface Chat {
  ada: ThawVisitor;
  bob: ThawVisitor;
  sessionId: string;
  words: Words;
}

/**
 * Bob reports Ada, `moderator` warns Ada, Ada appeals, and `otherModerator` upholds the decision. The moderator who has
 * decided a case may not answer the appeal.
 */
const warnAdaAndRejectAppeal = async (
  { ada, bob, sessionId, words }: Chat,
  { moderator, otherModerator }: { moderator: ThawVisitor; otherModerator: ThawVisitor },
): Promise<void> => {
  expect((await fileReport(bob, ada, { sessionId, words: 'did not stop' })).status).toBe(201);
  await decideCase(moderator, ada, { outcome: 'warned', rule: 'no_hate', facts: MODERATOR_TEXT });

  const { body: notices } = await ada.call('GET', `/api/notices/${ada.user.id}`);
  const { id: noticeId } = (notices as unknown as Notice[])[0]!;
  const appeal = { userId: ada.user.id, noticeId, words: words.appealWords };
  const appealResponse = await ada.call('POST', '/api/appeals', appeal);
  expect(appealResponse.status).toBe(201);

  const { version } = await readOpenCase(otherModerator, ada);
  const path = `/api/moderation/appeals/${Number(appealResponse.body.id)}`;
  const answer = { version, outcome: 'upheld', answer: MODERATOR_TEXT };
  expect((await otherModerator.call('PUT', path, answer)).status).toBe(200);
};

/** Ada reports Bob, and the moderator dismisses the report. */
const reportBobInVain = async (
  { ada, bob, sessionId, words }: Chat,
  moderator: ThawVisitor,
): Promise<void> => {
  expect((await fileReport(ada, bob, { sessionId, words: words.reportWords })).status).toBe(201);
  await decideCase(moderator, bob, { outcome: 'dismissed' });
};

const block = async (blocker: ThawVisitor, blocked: ThawVisitor): Promise<void> => {
  const body = { blockerId: blocker.user.id, blockedId: blocked.user.id };
  expect((await blocker.call('POST', '/api/blocks', body)).status).toBe(201);
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
  const chat = { ada, bob, sessionId: await holdRandomChat(writingUsers), words };
  await writePrivately(writingUsers);
  const moderator = await createModerator();
  const otherModerator = await createModerator();
  await warnAdaAndRejectAppeal(chat, { moderator, otherModerator });
  await reportBobInVain(chat, moderator);
  await block(bob, ada);
  await runSql('ANALYZE'); // stores samples of the columns, which are searched, too

  const searchEverywhere = async (): Promise<string[]> => findWords(await readPlaces(stack), words);
  // The search finds words that are stored.
  expect(await searchEverywhere()).toEqual(
    expect.arrayContaining([`message in ${KEPT_IN}`, 'message in redis', 'name in public.users']),
  );

  const startedAt = Date.now();
  const receiptId = await deleteAccount(ada, words.password);
  const receipt: Receipt = await waitForReceipt(stack.url, receiptId);
  expect(Date.now() - startedAt).toBeLessThan(ERASED_WITHIN_MS);

  // The evidence of both reports, and what the moderators wrote about Ada, are kept as long as appeals are possible.
  expect(receipt.content!.kept.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    'texts of decisions and appeals about you: appeal_window',
    'evidence of a report about you: appeal_window',
    'evidence of a report by you: appeal_window',
  ]);
  const keptWords = await searchEverywhere();
  expect(keptWords.filter((finding) => !finding.endsWith(` in ${KEPT_IN}`))).toEqual([]);
  // The kept evidence is a copy of the chat. What Ada wrote in the report and in the appeal is deleted.
  for (const name of ['reportWords', 'appealWords']) expect(keptWords).not.toContain(`${name} in ${KEPT_IN}`);

  // Ends the retention period of the kept data.
  await runSql(`UPDATE event_private SET expires_at = now() WHERE stream_id LIKE 'conduct-%'`);
  await until(
    () => readReceipt(stack.url, receiptId),
    ({ remaining }) => remaining.personalFields === 0,
  );
  await until(searchEverywhere, (findings) => findings.length === 0);
});
