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

/**
 * Disables the check that runs every ten seconds, because it would also read a changed list again. The check after a
 * possible loss of records in Redis still runs.
 */
const disableTimedChecks = (checks: WaitingUserCheckService): void => {
  const checkRecords = checks.checkRecords.bind(checks);
  jest
    .spyOn(checks, 'checkRecords')
    .mockImplementation(async (options) => (options?.isAfterLoss ? checkRecords(options) : undefined));
};

/** @returns a promise, and the function that resolves it */
const createSignal = () => {
  let send: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (send = resolve));
  return { sent, send };
};

/** Delays the result of the next read of a list until `release` is called. `whenRead` resolves after the read. */
const holdNextRead = (blockList: BlockListService) => {
  const { sent: whenRead, send: reportRead } = createSignal();
  const { sent: whenReleased, send: release } = createSignal();
  const findExcludedUserIds = blockList.findExcludedUserIds.bind(blockList);
  jest.spyOn(blockList, 'findExcludedUserIds').mockImplementationOnce(async (userId) => {
    const excludedUserIds = await findExcludedUserIds(userId);
    reportRead();
    await whenReleased;
    return excludedUserIds;
  });
  return { whenRead, release };
};

describe('the list of users whom a search excludes', () => {
  let stack: TestStack;
  // Ada uses the first replica and Bob the second. At the start of each test, Ada has blocked Bob.
  let ada: ThawVisitor;
  let bob: ThawVisitor;
  let adaSocket: ThawSocket;
  let bobSocket: ThawSocket;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  beforeEach(async () => {
    ada = await stack.createVisitor(0, 'female');
    bob = await stack.createVisitor(1, 'male');
    await recordPastChat(stack.replicas[0]!, ada, bob);
    adaSocket = await ada.openSocket();
    bobSocket = await bob.openSocket();
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
  const joinQueueAsBoth = async () => {
    await adaSocket.request('join_queue', {});
    await bobSocket.request('join_queue', {});
  };
  const expectMatch = () =>
    until(() => [adaSocket, bobSocket].every((socket) => socket.all('chat_matched').length === 1));
  /** Deletes the key in Redis that keeps the two apart, as if it had expired, so that only the list still does. */
  const expireBlockKey = () => stack.store.redis.del(matchingKeys.separation(ada.user.id, bob.user.id));

  it('is read again when the user lifts a block while joining the queue', async () => {
    await bobSocket.request('join_queue', {});
    const retry = jest.spyOn(stack.replicas[1]!.app.get(MatchQueueService), 'retry');
    const { whenRead, release } = holdNextRead(stack.replicas[0]!.app.get(BlockListService));
    const joining = adaSocket.request('join_queue', {});
    await whenRead;
    expect((await unblock()).status).toBe(204);
    // Both replicas handle the unblock before Ada is in the queue, so that afterwards only Ada's replica can notice
    // that the list it has read is out of date. Ada's replica records the unblock: all lists that were read before have
    // changed.
    const exclusions = stack.replicas[0]!.app.get(SearchExclusionsService);
    const listReadLongAgo = { userIds: [], readAt: 1 }; // not 0, which is `MUST_BE_READ`
    await until(() => exclusions.haveChanged(ada.user.id, listReadLongAgo));
    // Bob's replica retries Bob's search.
    await until(() => retry.mock.results.length > 0);
    await retry.mock.results[0]!.value;

    release();
    await joining;
    await expectMatch();
  });

  it('is read again when the user repeats an unblock that was committed but not announced', async () => {
    await expireBlockKey();
    await joinQueueAsBoth();
    const events = stack.replicas[0]!.app.get(ProcessEventsService);
    // The unblock is committed, and `deliver` then fails to announce it.
    jest.spyOn(events, 'deliver').mockRejectedValueOnce(new Error('The process died'));
    expect((await unblock()).status).toBe(500);
    // There is no block any more, but the repeated request announces the unblock.
    expect((await unblock()).status).toBe(404);
    await expectMatch();
  });

  it('is read again when publications may have been lost', async () => {
    await expireBlockKey();
    await joinQueueAsBoth();
    // An unblock whose publications are lost.
    await stack.database.dataSource.query('DELETE FROM blocks WHERE blocker_id = $1', [ada.user.id]);
    for (const { app } of stack.replicas)
      await app.get(ProcessEventsService).deliver('SubscriberRestored', {});
    await expectMatch();
  });
});
