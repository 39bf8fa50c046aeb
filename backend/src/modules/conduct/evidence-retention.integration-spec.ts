// Uses real PostgreSQL and Redis, two api replicas, files in a folder, and a worker. The tests run its expiry job with
// a time in the future.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseUploadUrl } from '@thaw/contract/uploads';
import { PersonalDataRepository } from '../../platform/event-store/personal-data.repository';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import {
  hasEvidence,
  isWaitingForLock,
  readConductEventTypes,
  readConductVersion,
  readExpiries,
} from '../../testing/conduct-stream.fixture';
import { persistChat } from '../../testing/persisted-chat.fixture';
import { uploadChatImage } from '../../testing/private-chat.fixture';
import { startChat } from '../../testing/random-chat.fixture';
import { fileReport, readStoredReports, type StoredReport } from '../../testing/reports.fixture';
import {
  quickChatSettings,
  startTestStack,
  type TestStack,
  type TestWorker,
} from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { BodyExpiryProcessor } from '../random-chat/jobs/body-expiry.processor';
import { HeldImagesService } from '../uploads/application/held-images.service';
import { UploadRemovalService } from '../uploads/application/upload-removal.service';
import { ConductService } from './application/conduct.service';

jest.setTimeout(60_000);

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const MODERATOR_ID = 3;
/** Longer than any evidence is kept, unless an open case or a legal hold keeps it. */
const LONG_AFTER_MS = 1_000 * DAY_MS;

describe('the retention of evidence', () => {
  let stack: TestStack;
  let worker: TestWorker;
  let folder: string;
  let conduct: ConductService;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'thaw-evidence-'));
    stack = await startTestStack(2, { ...quickChatSettings, STORAGE_DIR: folder });
    worker = await stack.startWorker();
    conduct = stack.replicas[0]!.app.get(ConductService);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(async () => {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Starts a chat, ends it and lets Ada report Bob for it. Returns the stored report and the key of an image that Bob
   * sent, which the evidence contains.
   */
  const reportNewChat = async () => {
    const chat = await startChat(stack);
    const { ada, bob, bobSocket, sessionId } = chat;
    const content = await uploadChatImage(stack.replicas[1]!, bob);
    await bobSocket.request('random_message', { sessionId, content, messageType: 'image' });
    await bobSocket.request('skip_chat', { sessionId });
    const { status } = await fileReport(ada, bob, { sessionId, words: 'did not stop' });
    expect(status).toBe(201);
    // The expiry depends on the stored end of the chat.
    await persistChat(stack.replicas[0]!, sessionId);
    const [report] = await readStoredReports(stack, bob);
    return { ...chat, report: report!, key: parseUploadUrl(content)!.key };
  };
  const decide = async (
    bob: ThawVisitor,
    { caseId }: StoredReport,
    outcome: 'dismissed' | 'warned' | 'banned',
  ) =>
    conduct.decideCase({
      userId: bob.user.id,
      moderatorId: MODERATOR_ID,
      caseId,
      version: await readConductVersion(stack, bob),
      excludedModeratorIds: [],
      isOnlyModerator: false,
      outcome,
      rule: outcome === 'dismissed' ? null : 'no_unwanted_sexual',
      facts: outcome === 'dismissed' ? null : 'On 20 November you went on with sexual messages.',
      until: null,
      note: 'seen',
    });
  /** Runs the job that erases all expired personal data, including evidence, as if this time had passed. */
  const expireAfter = (ms: number) => worker.app.get(BodyExpiryProcessor).expire(new Date(Date.now() + ms));
  /**
   * Runs the sweep, which deletes the files and then the rows of removed images that no case holds.
   * @returns whether the row of the image still exists.
   */
  const survivesSweep = async (key: string): Promise<boolean> => {
    await worker.app.get(UploadRemovalService).sweep(new Date());
    const rows = await stack.database.dataSource.query<unknown[]>('SELECT 1 FROM uploads WHERE key = $1', [
      key,
    ]);
    return rows.length > 0;
  };

  it('ends 72 hours after a dismissal, for images, report text and notes too', async () => {
    const { bob, report, key } = await reportNewChat();
    // The case is open.
    await expireAfter(LONG_AFTER_MS);
    expect(await hasEvidence(stack, bob)).toBe(true);
    expect(await survivesSweep(key)).toBe(true);

    await decide(bob, report, 'dismissed');
    await expireAfter(71 * HOUR_MS);
    expect(await hasEvidence(stack, bob)).toBe(true);
    // Two runs at the same time, and another one afterwards, expire the evidence once.
    await Promise.all([expireAfter(73 * HOUR_MS), expireAfter(73 * HOUR_MS)]);
    await expireAfter(73 * HOUR_MS);
    expect(await readStoredReports(stack, bob)).toEqual([
      expect.not.objectContaining({ words: expect.anything(), evidence: expect.anything() }),
    ]);
    // No personal data is left.
    expect(await readExpiries(stack, bob)).toEqual({});
    const types = await readConductEventTypes(stack, bob);
    expect(types.filter((type) => type === 'EvidenceExpired')).toHaveLength(1);
    // The job appends `BodiesExpired` when the contents of a stream's messages (the bodies) expire. It must not do so
    // here: a conduct stream has evidence instead of messages, and gets `EvidenceExpired`.
    expect(types).not.toContain('BodiesExpired');
    expect(await stack.replicas[0]!.app.get(HeldImagesService).open(key)).toBeNull();
    expect(await survivesSweep(key)).toBe(false);
  });

  it('ends 183 days after a warning, for the facts too', async () => {
    const { bob, report, key } = await reportNewChat();
    await decide(bob, report, 'warned');
    await expireAfter(182 * DAY_MS);
    expect(await hasEvidence(stack, bob)).toBe(true);
    expect(await survivesSweep(key)).toBe(true);
    await expireAfter(184 * DAY_MS);
    expect(await hasEvidence(stack, bob)).toBe(false);
    expect(await readExpiries(stack, bob)).toEqual({});
    expect(await survivesSweep(key)).toBe(false);
  });

  it('ends 183 days after a ban, while the facts are kept as long as the ban is in force', async () => {
    const { bob, report } = await reportNewChat();
    await decide(bob, report, 'banned');
    await expireAfter(184 * DAY_MS);
    expect(await hasEvidence(stack, bob)).toBe(false);
    // The decision contains the facts.
    expect(await readExpiries(stack, bob)).toEqual({ CaseDecided: null });
  });

  it('lasts until a legal hold is lifted, and for at least 365 days after it was placed', async () => {
    const { bob, report, key } = await reportNewChat();
    await decide(bob, report, 'dismissed');
    const hold = { userId: bob.user.id, moderatorId: MODERATOR_ID, reason: 'asked for by the police' };
    await conduct.setLegalHold({ ...hold, isHeld: true });
    await expireAfter(LONG_AFTER_MS);
    expect(await hasEvidence(stack, bob)).toBe(true);
    await conduct.setLegalHold({ ...hold, isHeld: false });
    await expireAfter(364 * DAY_MS);
    expect(await hasEvidence(stack, bob)).toBe(true);
    await expireAfter(366 * DAY_MS);
    expect(await hasEvidence(stack, bob)).toBe(false);
    expect(await survivesSweep(key)).toBe(false);
  });

  it('ends 72 hours after the end of the chat, if the chat has continued after the dismissal', async () => {
    const chat = await startChat(stack);
    const { ada, bob, sessionId } = chat;
    await fileReport(ada, bob, { sessionId });
    const [report] = await readStoredReports(stack, bob);
    await decide(bob, report!, 'dismissed');
    const expiryByDismissal = Date.parse((await readExpiries(stack, bob)).ReportFiled!);
    await chat.bobSocket.request('skip_chat', { sessionId });
    // Stores the end of the chat as if it were two days later: a negative `olderByMs` makes the events newer.
    const olderByMs = -48 * HOUR_MS;
    await persistChat(stack.replicas[0]!, sessionId, olderByMs);
    const expiryByEnd = Date.parse((await readExpiries(stack, bob)).ReportFiled!);
    expect(expiryByEnd - expiryByDismissal).toBeGreaterThan(47 * HOUR_MS);
    expect(expiryByEnd - expiryByDismissal).toBeLessThan(49 * HOUR_MS);
  });

  it('has an end even if a moderator dismisses the case while the end of the chat is being stored', async () => {
    const { ada, bob, bobSocket, sessionId } = await startChat(stack);
    await fileReport(ada, bob, { sessionId });
    await bobSocket.request('skip_chat', { sessionId });
    const [report] = await readStoredReports(stack, bob);
    const originalExpireEventsAt = PersonalDataRepository.expireEventsAt.bind(PersonalDataRepository);
    let dismissal: Promise<unknown> | undefined;
    // 1. The transaction that stores the end of the chat locks the conduct stream. It computes that the evidence has no
    //    expiry (null), because the case is open, and calls `expireEventsAt` to store the null.
    // 2. Now the dismissal begins, and waits for the lock.
    // 3. The transaction stores the null and ends.
    // 4. The dismissal gets the lock, and stores the expiry.
    // Without the lock, the dismissal would store the expiry before step 3, and the null would overwrite it.
    jest.spyOn(PersonalDataRepository, 'expireEventsAt').mockImplementationOnce(async (...args) => {
      let isDismissed = false;
      dismissal = decide(bob, report!, 'dismissed').then(() => (isDismissed = true));
      await until(async () => isDismissed || (await isWaitingForLock(stack)));
      await originalExpireEventsAt(...args);
    });
    await persistChat(stack.replicas[0]!, sessionId);
    await dismissal;
    expect((await readExpiries(stack, bob)).ReportFiled).toEqual(expect.any(String));
  });

  it('ends at the same times after a rebuild of the read models', async () => {
    // Three cases, of which the last is not decided.
    const [warned, dismissed, open] = [await reportNewChat(), await reportNewChat(), await reportNewChat()];
    await decide(warned.bob, warned.report, 'warned');
    await decide(dismissed.bob, dismissed.report, 'dismissed');
    const readAllExpiries = () =>
      Promise.all([warned, dismissed, open].map(({ bob }) => readExpiries(stack, bob)));
    const before = await readAllExpiries();
    expect(before[0]!.ReportFiled).toEqual(expect.any(String));
    expect(before[2]!.ReportFiled).toBeNull();
    // The rebuild has to compute every expiry.
    await stack.database.dataSource.query(
      `UPDATE event_private SET expires_at = NULL WHERE stream_id LIKE 'conduct-%'`,
    );
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    expect(await readAllExpiries()).toEqual(before);
  });
});
