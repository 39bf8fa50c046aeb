// Uses real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import { recordPastChat } from '../../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import type { ThawSocket, ThawVisitor } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { BlockListService } from '../../blocks/application/block-list.service';
import { ProcessEventsService } from '../../../platform/process-events/process-events.service';
import { MatchQueueService } from './match-queue.service';
import { SearchExclusionsService } from './search-exclusions.service';
import { WaitingUserCheckService } from './waiting-user-check.service';

jest.setTimeout(30_000);

describe('the list of users whom a search excludes', () => {
  let stack: TestStack;
  let ada: ThawVisitor;
  let bob: ThawVisitor;
  let sockets: readonly [ThawSocket, ThawSocket];

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  beforeEach(async () => {
    ada = await stack.createVisitor(0, 'female');
    bob = await stack.createVisitor(1, 'male');
    await recordPastChat(stack.replicas[0]!, ada, bob);
    sockets = [await ada.openSocket(), await bob.openSocket()];
    const block = { blockerId: ada.user.id, blockedId: bob.user.id };
    expect(await ada.call('POST', '/api/blocks', block)).toMatchObject({ status: 201 });
    for (const { app } of stack.replicas) disableTimedChecks(app.get(WaitingUserCheckService));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const unblock = () => ada.call('DELETE', `/api/blocks/${ada.user.id}/${bob.user.id}`);
  const expectMatch = () => until(() => sockets.every((socket) => socket.all('chat_matched').length === 1));
  /**
   * Disables the check that runs every ten seconds, because it would also read a changed list again. The check after a
   * possible loss of records in Redis still runs.
   */
  const disableTimedChecks = (checks: WaitingUserCheckService) => {
    const checkRecords = checks.checkRecords.bind(checks);
    jest
      .spyOn(checks, 'checkRecords')
      .mockImplementation(async (options) => (options?.isAfterLoss ? checkRecords(options) : undefined));
  };
  /**
   * Deletes the key that keeps the two apart, as if it had expired. Only the list excludes them then. (An unblock also
   * deletes the key.)
   */
  const expireBlockKey = () => stack.store.redis.del(matchingKeys.separation(ada.user.id, bob.user.id));

  it('is read again when the user lifts a block while joining the queue', async () => {
    await sockets[1].request('join_queue', {});
    const retry = jest.spyOn(stack.replicas[1]!.app.get(MatchQueueService), 'retry');
    const exclusions = stack.replicas[0]!.app.get(SearchExclusionsService);
    const list = stack.replicas[0]!.app.get(BlockListService);
    const findExcludedUserIds = list.findExcludedUserIds.bind(list);
    let resolveFirstRead: () => void = () => undefined;
    const firstRead = new Promise<void>((resolve) => (resolveFirstRead = resolve));
    let resolveUnblocked: () => void = () => undefined;
    const unblocked = new Promise<void>((resolve) => (resolveUnblocked = resolve));
    jest.spyOn(list, 'findExcludedUserIds').mockImplementationOnce(async (userId) => {
      const excludedUserIds = await findExcludedUserIds(userId);
      resolveFirstRead();
      await unblocked;
      return excludedUserIds;
    });
    const joining = sockets[0].request('join_queue', {});
    await firstRead;
    expect((await unblock()).status).toBe(204);
    // Both replicas handle the unblock before Ada is in the queue. After that, only Ada's replica can notice that the
    // list it has read is out of date. Once it has recorded the unblock, every list that was read before counts as
    // changed.
    const listReadLongAgo = { userIds: [], readAt: 1 }; // 0 would mean that the list could not be read
    await until(() => exclusions.haveChanged(ada.user.id, listReadLongAgo));
    // Bob's replica handles the unblock by retrying Bob's search.
    await until(() => retry.mock.results.length > 0);
    await retry.mock.results[0]!.value;
    resolveUnblocked();
    await joining;
    await expectMatch();
  });

  it('is read again when the user repeats an unblock that was committed but not announced', async () => {
    await expireBlockKey();
    for (const socket of sockets) await socket.request('join_queue', {});
    const events = stack.replicas[0]!.app.get(ProcessEventsService);
    jest.spyOn(events, 'deliver').mockRejectedValueOnce(new Error('The process died'));
    expect((await unblock()).status).toBe(500);
    // The first request has deleted the block. The repeated request still announces the unblock.
    expect((await unblock()).status).toBe(404);
    await expectMatch();
  });

  it('is read again when publications may have been lost', async () => {
    await expireBlockKey();
    for (const socket of sockets) await socket.request('join_queue', {});
    // An unblock whose publications are lost.
    await stack.database.dataSource.query('DELETE FROM blocks WHERE blocker_id = $1', [ada.user.id]);
    for (const { app } of stack.replicas)
      await app.get(ProcessEventsService).deliver('SubscriberRestored', {});
    await expectMatch();
  });
});
