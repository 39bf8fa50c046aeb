// Uses real PostgreSQL and Redis, a folder with the stored files, two api replicas, and the modules of a worker. The
// worker takes no jobs: each test runs the work that it needs.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { JobWorkerService } from '../../platform/queue/job-worker.service';
import { decide, findEvent, fileReport } from '../../testing/conduct.fixture';
import { readReceipt, startTestErasures, type TestErasures } from '../../testing/erasure.fixture';
import { createModerator, createModeratorApi } from '../../testing/moderation.fixture';
import { createFriends, createPrivateMessage, uploadChatImage } from '../../testing/private-chat.fixture';
import { recordPastChat } from '../../testing/relationship.fixture';
import type { TestStack } from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { BlockRepository } from '../blocks/infrastructure/block.repository';
import { ConductService } from '../conduct/application/conduct.service';
import { ErasureRequestService } from './application/erasure-request.service';
import { ErasureProcessor } from './jobs/erasure.processor';
import { ErasureService, type ErasureStep, erasureSteps } from './jobs/erasure.service';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MESSAGE_COUNT = isLongRun ? 10_000 : 200;
/** Number of messages that are sent at the same time. */
const BATCH_SIZE = 10;
/** Number of measured erasures. The limit of a minute applies to the slowest one. */
const MEASURED_ERASURES = isLongRun ? 3 : 1;

jest.setTimeout(isLongRun ? 1_800_000 : 60_000);

const DAY_MS = 24 * 60 * 60_000;
/** For each erasure step, an interruption before it and one after it. */
const interruptions = erasureSteps.flatMap((step) => [
  { when: 'before', step } as const,
  { when: 'after', step } as const,
]);

/** Selects the transactions that wait for an advisory lock. */
const SELECT_LOCK_WAITERS_SQL = `SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
  WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;

describe('an erasure', () => {
  let erasures: TestErasures;
  let stack: TestStack;
  let worker: INestApplicationContext;
  let erasureService: ErasureService;

  beforeAll(async () => {
    erasures = await startTestErasures(2);
    stack = erasures.stack;
    worker = (await stack.startWorker()).app;
    await worker.get(JobWorkerService).close();
    erasureService = worker.get(ErasureService);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => erasures.close());

  const queryRows = <Row>(query: string, ...parameters: unknown[]) =>
    stack.database.dataSource.query<Row[]>(query, parameters);
  const requestErasure = ({ user }: ThawVisitor) =>
    worker.get(ErasureRequestService).request(user.id, 'asked');
  const fetchReceipt = (erasureId: string) => readReceipt(stack.origins[0]!, erasureId);

  /** Creates a user with a friend, a private message, an image and a random chat, which `createFriends` records. */
  const createUserWithData = async (): Promise<ThawVisitor> => {
    const { ada, bob } = await createFriends(stack);
    const socket = await ada.openSocket();
    await socket.request(
      'send_private_message',
      createPrivateMessage({ from: ada, to: bob, content: 'hello' }),
    );
    await uploadChatImage(stack.replicas[0]!, ada);
    await socket.closeCleanly();
    return ada;
  };

  const sendPrivateMessages = async (from: ThawVisitor, to: ThawVisitor): Promise<void> => {
    const socket = await from.openSocket();
    for (let sent = 0; sent < MESSAGE_COUNT; sent += BATCH_SIZE) {
      const batch = Array.from({ length: BATCH_SIZE }, (_, index) =>
        createPrivateMessage({ from, to, content: `message ${sent + index}` }),
      );
      await Promise.all(batch.map((message) => socket.request('send_private_message', message)));
    }
    await socket.closeCleanly();
  };

  /** Makes the next run of a step fail, before or after its work. */
  const interrupt = (interruptedStep: ErasureStep, when: 'before' | 'after'): void => {
    const service = erasureService as unknown as {
      runStep(step: ErasureStep, erasure: object): Promise<void>;
    };
    const runStep = service.runStep.bind(service);
    let wasInterrupted = false;
    jest.spyOn(service, 'runStep').mockImplementation(async (step, erasure) => {
      if (wasInterrupted || step !== interruptedStep) return runStep(step, erasure);
      wasInterrupted = true;
      if (when === 'after') await runStep(step, erasure);
      throw new Error('killed');
    });
  };

  it.each([
    {
      route: 'blocks',
      table: 'blocks',
      createBody: (adaId: number, bobId: number) => ({ blockerId: adaId, blockedId: bobId }),
    },
    {
      route: 'friends/request',
      table: 'friend_requests',
      createBody: (adaId: number, bobId: number) => ({ requesterId: adaId, addresseeId: bobId }),
    },
  ])(
    'completes while a call of /api/$route about its user waits for a lock, and the call fails with not_found',
    async ({ route, table, createBody }) => {
      const replica = stack.replicas[0]!;
      const ada = await stack.createVisitor(0);
      const bob = await stack.createVisitor(0);
      await recordPastChat(replica, ada, bob);
      // The call waits for the lock of the pair until the erasure is complete.
      const lockHolder = stack.database.dataSource.createQueryRunner();
      await lockHolder.startTransaction();
      await replica.app.get(BlockRepository).lockPair(ada.user.id, bob.user.id, lockHolder.manager);
      const rowsBefore = await queryRows(`SELECT 1 FROM ${table}`);
      const response = ada.call('POST', `/api/${route}`, createBody(ada.user.id, bob.user.id));
      await until(async () => (await queryRows(SELECT_LOCK_WAITERS_SQL)).length > 0);
      expect(await erasureService.run(await requestErasure(bob))).toBe(true);
      await lockHolder.rollbackTransaction();
      await lockHolder.release();
      expect(await response).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await queryRows(`SELECT 1 FROM ${table}`)).toEqual(rowsBefore);
    },
  );

  it.each(interruptions)(
    'is completed by the next run, with the same result, after an interruption $when the step $step',
    async ({ when, step }) => {
      const ada = await createUserWithData();
      const erasureId = await requestErasure(ada);
      interrupt(step, when);
      await expect(erasureService.run(erasureId)).rejects.toThrow('killed');
      expect(await erasureService.run(erasureId)).toBe(true);
      const { state, content, remaining } = await fetchReceipt(erasureId);
      expect(state).toBe('done');
      expect(remaining.total).toBe(0);
      expect(content).toMatchObject({
        erased: {
          personalFields: 3, // the username, the private message, and the name in the start of the chat
          randomChats: 1,
          privateMessages: 1,
          images: 1,
          friendships: 1,
          requests: 0,
          blocks: 0,
          sessions: 1,
        },
        kept: [],
      });
      const erasureEvents = await queryRows(
        `SELECT type FROM events WHERE stream_id = $1 AND type IN ('ErasureRequested', 'PersonErased')
         ORDER BY stream_position`,
        `user-${ada.user.id}`,
      );
      expect(erasureEvents).toEqual([{ type: 'ErasureRequested' }, { type: 'PersonErased' }]);
      expect(await readdir(path.join(erasures.folder, 'erasures'))).toContain(`erasure.${erasureId}.json`);
    },
  );

  it(`takes less than a minute for a user with ${MESSAGE_COUNT.toLocaleString('en')} messages`, async () => {
    const durations: number[] = [];
    for (let run = 0; run < MEASURED_ERASURES; run += 1) {
      const { ada, bob } = await createFriends(stack);
      await sendPrivateMessages(ada, bob);
      const erasureId = await requestErasure(ada);
      const startedAt = performance.now();
      expect(await erasureService.run(erasureId)).toBe(true);
      durations.push(performance.now() - startedAt);
      const { content, remaining } = await fetchReceipt(erasureId);
      expect(content!.erased.privateMessages).toBe(MESSAGE_COUNT);
      expect(remaining.total).toBe(0);
    }
    expect(Math.max(...durations)).toBeLessThan(60_000);
    if (isLongRun)
      console.log(`slowest of ${MEASURED_ERASURES} erasures: ${Math.max(...durations).toFixed()} ms`);
  });

  it('is executed by one of two concurrent runs', async () => {
    const erasureId = await requestErasure(await createUserWithData());
    const results = await Promise.all([erasureService.run(erasureId), erasureService.run(erasureId)]);
    expect(results.sort()).toEqual([false, true]);
  });

  it('is requested for anonymous users after a week without a visit, and for no other users', async () => {
    const inactive = await stack.createVisitor(0);
    const active = await stack.createVisitor(0);
    const registered = await stack.createVisitor(0);
    await registered.call('POST', '/api/convert-anonymous', {
      userId: registered.user.id,
      email: 'stays@example.org',
      password: 'correct horse',
    });
    const ids = [inactive, active, registered].map(({ user }) => user.id);
    // All three joined a month ago, and only `active` has visited in the last seven days.
    await queryRows(`UPDATE users SET created_at = now() - interval '30 days' WHERE id = ANY($1)`, ids);
    await queryRows(
      `UPDATE sessions SET refreshed_at = now() - interval '7 days 1 minute' WHERE user_id = ANY($1)`,
      [inactive.user.id, registered.user.id],
    );
    const processor = worker.get(ErasureProcessor);
    // A day ago, the inactive user had been inactive for six days only.
    expect(await processor.expireAnonymous(new Date(Date.now() - DAY_MS))).toBe(0);
    expect(await processor.expireAnonymous(new Date())).toBe(1);
    await processor.resume(); // runs the requested erasures
    const requested = await queryRows('SELECT user_id, reason FROM erasures WHERE user_id = ANY($1)', ids);
    expect(requested).toEqual([{ user_id: String(inactive.user.id), reason: 'inactive' }]);
    expect((await inactive.call('GET', `/api/user/${inactive.user.id}`)).status).toBe(401);
    expect((await active.call('GET', `/api/user/${active.user.id}`)).status).toBe(200);
  });

  describe('of a user whose data is under a legal hold', () => {
    /** Erases a user with a legal hold and a case, which has been decided. */
    const eraseHeldUser = async (): Promise<{ userId: number; caseId: number; erasureId: string }> => {
      const ada = await stack.createVisitor(0);
      const userId = ada.user.id;
      const reporterId = 7; // any id: `fileReport` does not look up the reporter
      const report = await fileReport({ app: worker }, userId, reporterId);
      const { caseId } = findEvent(report, 'ReportFiled').data;
      const { version } = await worker.get(ConductService).setLegalHold({
        userId,
        moderatorId: 1,
        isHeld: true,
        reason: 'A court asked for it',
      });
      await decide({ app: worker }, userId, { caseId, version }, 'dismissed');
      const erasureId = await requestErasure(ada);
      expect(await erasureService.run(erasureId)).toBe(true);
      return { userId, caseId, erasureId };
    };

    it('keeps data because of the hold only, and does not run again during the hold', async () => {
      const { erasureId } = await eraseHeldUser();
      const { content, remaining } = await fetchReceipt(erasureId);
      expect(new Set(content!.kept.map(({ why }) => why))).toEqual(new Set(['legal_hold']));
      expect(remaining.total).toBeGreaterThan(0);
      await worker.get(ErasureProcessor).resume();
      expect((await fetchReceipt(erasureId)).content).toEqual(content);
    });

    it('runs again and renews its receipt when a moderator lifts the hold', async () => {
      const { userId, caseId, erasureId } = await eraseHeldUser();
      const first = (await fetchReceipt(erasureId)).content!;
      const { call } = createModeratorApi(await createModerator(stack));
      expect(await call('GET', `people/${userId}`)).toMatchObject({
        body: { isHeld: true, cases: [{ id: caseId }] },
      });
      const lifted = await call('PUT', `people/${userId}/hold`, { isHeld: false, reason: 'It is over' });
      expect(lifted).toMatchObject({ status: 200, body: { username: '', isHeld: false } });
      await worker.get(ErasureProcessor).resume();
      const second = (await fetchReceipt(erasureId)).content!;
      expect(second.receiptId).toBe(first.receiptId);
      expect(Date.parse(second.finishedAt)).toBeGreaterThan(Date.parse(first.finishedAt));
      // Held data stays until a year after the hold was placed. The receipt must not call this a hold or an open case.
      const reasons = second.kept.map(({ why }) => why);
      expect(reasons).not.toContain('legal_hold');
      expect(reasons).not.toContain('open_case');
    });
  });
});
