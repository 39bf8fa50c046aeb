// The audit log, images, profiles and statistics for moderators. Uses real PostgreSQL and Redis, two api replicas and a
// worker, over HTTP and sockets. Mia and Noa are moderators.
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { DataSource } from 'typeorm';
import type { ModeratedPerson } from '@thaw/contract/moderation';
import type { AuditEntry, BlockedImage, ModerationFigures } from '@thaw/contract/moderation-records';
import type { UploadBucket } from '@thaw/contract/uploads';
import { StreamVersionConflictError } from '../../platform/event-store/event-store.errors';
import { EventStoreRepository } from '../../platform/event-store/event-store.repository';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { MetricsRegistry } from '../../platform/observability/metrics.registry';
import { RateLimiterService } from '../../platform/rate-limit/rate-limiter.service';
import { createPicture } from '../../testing/image-corpus.fixture';
import {
  createModerator,
  FACTS,
  formatHoursFromNow,
  createModeratorApi,
  reportUser,
} from '../../testing/moderation.fixture';
import {
  createConnectedFriends,
  createPrivateMessage,
  uploadChatImage,
} from '../../testing/private-chat.fixture';
import { recordPastChat } from '../../testing/relationship.fixture';
import { fileReport } from '../../testing/reports.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { ImageBlocksService } from '../image-blocks/application/image-blocks.service';
import { AuditService } from './application/audit.service';
import { FiguresRepository } from './infrastructure/figures.repository';

jest.setTimeout(60_000);

/** Flips four bits of a difference hash. The hashes of copies of an image may differ in at most that many. */
const flipFourBits = (dhash: string): string =>
  (BigInt(`0x${dhash}`) ^ 0x8000_0100_0010_0001n).toString(16).padStart(16, '0');

describe('records of moderation', () => {
  let stack: TestStack;
  let mia: ThawVisitor;

  beforeAll(async () => {
    stack = await startTestStack(2);
    mia = await createModerator(stack);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => stack.close());

  const readAuditLog = async (moderator: ThawVisitor): Promise<AuditEntry[]> => {
    const { body } = await createModeratorApi(mia).call('GET', `audit?moderatorId=${moderator.user.id}`);
    return body.entries as AuditEntry[];
  };
  /** Opens a case: Ada reports Bob. Both are new users. */
  const fileNewReport = async () => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(0)];
    return { ada, bob, ...(await reportUser(stack.replicas[0]!, ada, bob, { category: 'sexual' })) };
  };
  const uploadImage = (caller: ThawVisitor, bytes: Buffer, bucket: UploadBucket = 'chat-images') => {
    const form = new FormData();
    form.append('bucket', bucket);
    form.append('fileName', 'x.jpg');
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'x.jpg');
    return caller.call('POST', '/api/upload', form);
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
      const requestPage = (cursor?: string) =>
        createModeratorApi(mia).call(
          'GET',
          `audit?moderatorId=${noa.user.id}${cursor ? `&cursor=${cursor}` : ''}`,
        );
      const { body: first } = await requestPage();
      const { body: second } = await requestPage(first.nextCursor as string);
      const ids = [first, second].flatMap(({ entries }) => (entries as AuditEntry[]).map(({ id }) => id));
      expect([(first.entries as unknown[]).length, ids.length, new Set(ids).size]).toEqual([100, 101, 101]);
      expect(second.nextCursor).toBeNull();
      expect((await requestPage('x')).status).toBe(400);
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

  describe('images', () => {
    it('moderators can read images of a case after the sender has deleted them, and responses are not cached', async () => {
      const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
      const url = await uploadChatImage(stack.replicas[0]!, ada);
      const { id: messageId } = await adaSocket.request(
        'send_private_message',
        createPrivateMessage({ from: ada, to: bob, content: url, messageType: 'image' }),
      );
      expect((await fileReport(bob, ada, { messageIds: [Number(messageId)] })).status).toBe(201);
      const deletion = { messageId: Number(messageId), senderId: ada.user.id, receiverId: bob.user.id };
      await adaSocket.request('delete_private_message', deletion);
      await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
      // The usual URL no longer serves the image, not even to the moderator.
      for (const caller of [ada, bob, mia]) expect((await caller.call('GET', url)).status).toBe(404);

      const { body: page } = await createModeratorApi(mia).list();
      const { id: caseId } = (page.cases as { id: number; userId: number }[]).find(
        ({ userId }) => userId === ada.user.id,
      )!;
      const { evidence } = await createModeratorApi(mia).read(caseId);
      const [image] = evidence[0]!.messages.flatMap(({ images }) => images);
      const path = `cases/${caseId}/images/${image!.imageId}`;
      const { status, headers } = await createModeratorApi(mia).call('GET', path);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toMatch(/^image\//);
      expect((await readAuditLog(mia))[0]).toMatchObject({
        action: 'image_read',
        caseId,
        imageId: image!.imageId,
      });
      // The case has no image 1.
      expect((await createModeratorApi(mia).call('GET', `cases/${caseId}/images/1`)).status).toBe(404);
      expect((await ada.call('GET', `/api/moderation/${path}`)).status).toBe(403);
    });

    it('an illegal image blocked by a decision cannot be uploaded until it is unblocked; an attempt suspends the user', async () => {
      const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
      const bytes = await createPicture(1);
      const { body: sent } = await uploadImage(ada, bytes);
      await adaSocket.request(
        'send_private_message',
        createPrivateMessage({ from: ada, to: bob, content: String(sent.url), messageType: 'image' }),
      );
      await fileReport(bob, ada);
      await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
      const [row] = await stack.database.dataSource.query<{ id: string }[]>(
        'SELECT id FROM conduct_cases WHERE user_id = $1',
        [ada.user.id],
      );
      const { id, version, evidence } = await createModeratorApi(mia).read(Number(row!.id));
      const { imageId } = evidence[0]!.messages.flatMap(({ images }) => images)[0]!;
      const decision = {
        version,
        outcome: 'suspended',
        rule: 'no_illegal',
        facts: FACTS,
        until: formatHoursFromNow(2),
      };
      const imageIdOutsideCase = 1;
      expect(
        await createModeratorApi(mia).decide(id, {
          ...decision,
          blockImages: [imageId, imageIdOutsideCase],
        }),
      ).toMatchObject({
        status: 404,
      });
      expect((await createModeratorApi(mia).decide(id, { ...decision, blockImages: [imageId] })).status).toBe(
        200,
      );

      const carl = await stack.createVisitor(0);
      const uploadsBefore = await stack.database.dataSource.query('SELECT 1 FROM uploads');
      expect((await uploadImage(carl, bytes)).body.code).toBe('image_refused');
      // The first attempt has suspended the user.
      expect((await uploadImage(carl, bytes, 'avatars')).body.code).toBe('suspended');
      expect(await stack.database.dataSource.query('SELECT 1 FROM uploads')).toHaveLength(
        uploadsBefore.length,
      );
      // Another image is not refused.
      expect((await uploadImage(await stack.createVisitor(0), await createPicture(2))).status).toBe(201);
      const smallerCopy = await sharp(bytes).resize(300).jpeg({ quality: 40 }).toBuffer();
      const dan = await stack.createVisitor(0);
      // A smaller copy is recognised by its difference hash.
      expect((await uploadImage(dan, smallerCopy, 'avatars')).body.code).toBe('image_refused');
      expect((await uploadImage(dan, smallerCopy)).body.code).toBe('suspended');
      const { body: notices } = await carl.call('GET', `/api/notices/${carl.user.id}`);
      expect(notices).toMatchObject([
        {
          kind: 'suspension',
          rule: 'no_illegal',
          facts: expect.stringContaining('an image that moderators have blocked'),
        },
      ]);
      const { body: page } = await createModeratorApi(mia).list();
      expect(page.cases).toContainEqual(
        expect.objectContaining({
          userId: carl.user.id,
          kind: 'finding',
          isAutomatic: true,
          standing: 'suspended',
        }),
      );

      const listBlockedImages = async () =>
        (await createModeratorApi(mia).call('GET', 'images')).body as unknown as BlockedImage[];
      const [blocked] = await listBlockedImages();
      expect(blocked).toMatchObject({ rule: 'no_illegal', caseId: id, moderatorId: mia.user.id });
      const unblock = () => createModeratorApi(mia).call('DELETE', `images/${blocked!.id}`);
      // Every append fails, as if another request had just changed the image.
      const failingAppend = jest
        .spyOn(stack.replicas[0]!.app.get(EventStoreRepository), 'append')
        .mockRejectedValue(new StreamVersionConflictError('image', 1));
      expect(await unblock()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      failingAppend.mockRestore();
      expect((await unblock()).status).toBe(204);
      expect((await unblock()).status).toBe(404);
      expect(await listBlockedImages()).toEqual([]);
      expect((await uploadImage(await stack.createVisitor(0), bytes)).status).toBe(201);
      const actions = (await readAuditLog(mia)).map(({ action }) => action);
      expect(actions.slice(0, 3)).toEqual(['image_unblocked', 'image_blocked', 'decided']);
    });

    it('blocking images uses only the connection of the passed transaction', async () => {
      const { app } = stack.replicas[0]!;
      // If each decision needed a second connection of the pool, simultaneous decisions could wait for each other.
      const runner = app.get(DataSource).createQueryRunner();
      await runner.startTransaction();
      const createRunner = jest.spyOn(app.get(DataSource), 'createQueryRunner');
      const images = [{ sha256: 'ab'.repeat(32), dhash: null }];
      const block = { images, rule: 'no_hate', caseId: null, moderatorId: mia.user.id } as const;
      await app.get(ImageBlocksService).block(block, runner.manager);
      expect(createRunner).not.toHaveBeenCalled();
      await runner.rollbackTransaction();
      await runner.release();
    });

    it('a new image is compared with 10,000 blocked images in less than 60 ms', async () => {
      // Negative ids, so that these rows can be deleted below. The hashes are the same in each run; none is near the
      // hash that is searched for first.
      await stack.database.dataSource.query(
        `INSERT INTO blocked_images (id, sha256, dhash, rule, moderator_id, created_at)
         SELECT -n, 'many-' || n, left(md5(n::text), 16), 'no_spam', 1, now() FROM generate_series(1, 10000) n`,
      );
      const blocks = stack.replicas[0]!.app.get(ImageBlocksService);
      const durationsMs: number[] = [];
      for (let round = 0; round < 10; round += 1) {
        const startedAt = performance.now();
        expect(await blocks.findNearBlock('0123456789abcdef')).toBeNull();
        durationsMs.push(performance.now() - startedAt);
      }
      // About 5 ms on an idle machine; the limit only detects a much slower algorithm.
      expect(Math.min(...durationsMs)).toBeLessThan(60);
      // Image 7 has the hash that the INSERT above computes for n = 7.
      const nearBlock = await blocks.findNearBlock(
        flipFourBits(createHash('md5').update('7').digest('hex').slice(0, 16)),
      );
      expect(nearBlock).toMatchObject({ id: -7 });
      await stack.database.dataSource.query(`DELETE FROM blocked_images WHERE id < 0`);
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

  it('moderators can read the standing, sanctions, cases and reports of a user, and lift a sanction once', async () => {
    const { ada, bob, caseId } = await fileNewReport();
    await recordPastChat(stack.replicas[0]!, ada, bob); // counts as one match
    const { version } = await createModeratorApi(mia).read(caseId);
    const until = formatHoursFromNow(2);
    await createModeratorApi(mia).decide(caseId, {
      version,
      outcome: 'suspended',
      rule: 'no_hate',
      facts: FACTS,
      until,
    });
    const readPerson = async ({ user }: ThawVisitor) =>
      (await createModeratorApi(mia).call('GET', `people/${user.id}`)).body as unknown as ModeratedPerson;
    const person = await readPerson(bob);
    expect(person).toMatchObject({
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
    const lift = () =>
      createModeratorApi(mia).call('POST', `sanctions/${person.sanctions[0]!.id}/lift`, {
        reason: 'Too long.',
      });
    expect(await lift()).toMatchObject({ status: 200, body: { standing: { kind: 'good' } } });
    // `already_answered` also means that a sanction is no longer in force.
    expect(await lift()).toMatchObject({ status: 409, body: { code: 'already_answered' } });
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

  it('statistics are returned over HTTP; a worker exposes them as metrics, and omits these while PostgreSQL fails', async () => {
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

    const worker = await stack.startWorker();
    const readMetrics = async () => (await worker.app.get(MetricsRegistry).expose()).body;
    jest
      .spyOn(worker.app.get(FiguresRepository), 'read')
      .mockRejectedValueOnce(new Error('PostgreSQL is unreachable'));
    expect(await readMetrics()).not.toMatch(/^thaw_moderation_open_cases/m);
    const metrics = await readMetrics();
    expect(metrics).toMatch(/^thaw_moderation_open_cases \d+$/m);
    expect(metrics).toMatch(/^thaw_moderation_reports\{category="sexual"\} \d+$/m);
    expect(metrics).toMatch(/^thaw_moderation_decisions\{outcome="suspended",by="moderator"\} \d+$/m);
    expect(metrics).toMatch(/^thaw_moderation_decision_seconds\{quantile="0.95"\} [\d.]+$/m);
    await worker.stop();
  });

  it('a rebuild of the read models leaves the audit log and the blocked images unchanged', async () => {
    const readRows = async () =>
      stack.database.dataSource.query<unknown[]>(
        `SELECT (SELECT json_agg(a ORDER BY id) FROM moderator_actions a) AS actions,
                (SELECT json_agg(b ORDER BY id) FROM blocked_images b) AS images`,
      );
    const before = await readRows();
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    expect(await readRows()).toEqual(before);
  });
});
