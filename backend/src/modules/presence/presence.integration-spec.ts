// Runs against real PostgreSQL and Redis; three complete api replicas run in this process. The third replica reaches
// Redis over a link that can be cut.
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFriends, recordPastChat } from '../../testing/relationship.fixture';
import { ReplicaLeaseService } from '../../platform/realtime/replica-lease.service';
import { estimateCpuSlowdown } from '../../testing/processor-load.probe';
import { type CuttableLink, startCuttableLink } from '../../testing/cuttable-link.proxy';
import { startTestStack, type TestReplica, type TestStack } from '../../testing/test-stack.harness';
import type { ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';

jest.setTimeout(60_000);

/** Maximum time until friends receive a change of presence. */
const MAX_DELAY_MS = 5_000;
/** Maximum time until friends receive the change after a replica has lost Redis or reaches it again. */
const MAX_DELAY_AFTER_CUT_MS = 10_000;
/** Less than both grace periods: a user stays online for 2 s after a clean close, for 3 s after a lost connection. */
const WITHIN_GRACE_PERIOD_MS = 1_500;

describe('presence over three replicas', () => {
  let stack: TestStack;
  let link: CuttableLink;
  let replicaBehindLink: TestReplica;

  beforeAll(async () => {
    stack = await startTestStack(2);
    link = await startCuttableLink(stack.store.url);
    replicaBehindLink = await stack.addReplica({ REDIS_URL: link.url });
    // The other replicas have to evict the records of the one that loses Redis, which a replica may do only some time
    // after its start.
    await until(() => stack.replicas.every(({ app }) => app.get(ReplicaLeaseService).maySweep));
  });
  afterAll(async () => {
    await stack.close();
    await link.close();
  });

  /** Creates two friends, Ada on the first replica and Bob on the second, and opens a socket of Ada. */
  const signUpFriends = async (): Promise<{ ada: ThawVisitor; bob: ThawVisitor; adaSocket: ThawSocket }> => {
    const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
    await makeFriends(stack.replicas[0]!, ada, bob);
    return { ada, bob, adaSocket: await ada.openSocket() };
  };
  /** Waits until the socket receives this presence of the user. @returns how long that took, in ms. */
  const waitForPresence = async (
    socket: ThawSocket,
    { user }: ThawVisitor,
    isOnline: boolean,
  ): Promise<number> => {
    const startedAt = Date.now();
    await socket.take('presence', (data) => data.userId === user.id && data.isOnline === isOnline);
    return Date.now() - startedAt;
  };
  /** Reads from the friends list whether a friend is online, and checks that their profile agrees. */
  const isSeenOnline = async (viewer: ThawVisitor, friend: ThawVisitor): Promise<boolean | undefined> => {
    const friends = (await viewer.call('GET', `/api/friends/${viewer.user.id}`)).body as unknown as {
      id: number;
      isOnline: boolean;
    }[];
    const { body } = await viewer.call('GET', `/api/user/${friend.user.id}`);
    const entry = friends.find(({ id }) => id === friend.user.id);
    expect(body.isOnline).toBe(entry?.isOnline);
    return entry?.isOnline;
  };

  it('reaches friends within seconds, and only after a grace period when a user leaves', async () => {
    const { ada, bob, adaSocket } = await signUpFriends();
    expect(await isSeenOnline(ada, bob)).toBe(false);
    const bobSocket = await bob.openSocket();
    expect(await waitForPresence(adaSocket, bob, true)).toBeLessThan(MAX_DELAY_MS * estimateCpuSlowdown());
    expect(await isSeenOnline(ada, bob)).toBe(true);
    await bobSocket.closeCleanly();
    const tookMs = await waitForPresence(adaSocket, bob, false);
    expect(tookMs).toBeGreaterThan(WITHIN_GRACE_PERIOD_MS);
    expect(tookMs).toBeLessThan(MAX_DELAY_MS * estimateCpuSlowdown());
    expect(await isSeenOnline(ada, bob)).toBe(false);
    await adaSocket.closeCleanly();
  });

  /**
   * Disconnects a user and opens a new socket for them.
   * @returns the new socket, and whether the grace period may have ended before it was open.
   */
  const leaveAndReturn = async (
    user: ThawVisitor,
    disconnect: () => Promise<void>,
    origin: string | undefined,
  ): Promise<{ socket: ThawSocket; isLate: boolean }> => {
    const leftAt = Date.now();
    await disconnect();
    const socket = await user.openSocket(origin);
    return { socket, isLate: Date.now() - leftAt > WITHIN_GRACE_PERIOD_MS };
  };
  const listAbsences = (socket: ThawSocket) =>
    socket.all('presence').filter(({ isOnline }) => isOnline === false);
  /**
   * Expects the friend to receive at most `lateReturns` absences of the user. On a busy machine, a user may return
   * after the grace period, and the absence is then rightly published. Closes both sockets.
   */
  const expectNoAbsence = async (
    friendSocket: ThawSocket,
    userSocket: ThawSocket,
    lateReturns: number,
  ): Promise<void> => {
    await sleep(5_000); // longer than both grace periods
    const absenceCount = listAbsences(friendSocket).length;
    expect(absenceCount).toBeLessThanOrEqual(lateReturns);
    // A last departure proves that the friend's socket does receive absences.
    await userSocket.closeCleanly();
    await until(() => listAbsences(friendSocket).length > absenceCount);
    await friendSocket.closeCleanly();
  };

  it('does not change on reloads, or when one of several tabs closes', async () => {
    const { bob, adaSocket } = await signUpFriends();
    let bobSocket = await bob.openSocket();
    await waitForPresence(adaSocket, bob, true);
    let lateReturns = 0;
    for (const origin of [stack.origins[0], stack.origins[1], stack.origins[0]]) {
      const { socket, isLate } = await leaveAndReturn(bob, () => bobSocket.closeCleanly(), origin);
      bobSocket = socket;
      if (isLate) lateReturns += 1;
    }
    const otherTabs = [await bob.openSocket(stack.origins[0]), await bob.openSocket(stack.origins[1])];
    for (const socket of otherTabs) await socket.closeCleanly();
    await expectNoAbsence(adaSocket, bobSocket, lateReturns);
  });

  it('does not change on a brief loss of the connection', async () => {
    const { bob, adaSocket } = await signUpFriends();
    const bobSocket = await bob.openSocket();
    await waitForPresence(adaSocket, bob, true);
    const loseConnection = () => bobSocket.terminate(); // without a close frame
    const { socket, isLate } = await leaveAndReturn(bob, loseConnection, stack.origins[0]);
    await expectNoAbsence(adaSocket, socket, isLate ? 1 : 0);
  });

  it('is not disclosed to a user who is not a friend', async () => {
    const { bob, adaSocket } = await signUpFriends();
    const eve = await stack.createVisitor(0);
    // Users who have chatted may read each other's profiles.
    await recordPastChat(stack.replicas[0]!, eve, bob);
    const eveSocket = await eve.openSocket();
    const bobSocket = await bob.openSocket();
    await waitForPresence(adaSocket, bob, true);
    const seen = await eve.call('GET', `/api/user/${bob.user.id}`);
    expect(seen).toMatchObject({ status: 200, body: { isOnline: false } });
    await bobSocket.closeCleanly();
    await waitForPresence(adaSocket, bob, false);
    expect(eveSocket.all('presence')).toEqual([]);
    await Promise.all([adaSocket.closeCleanly(), eveSocket.closeCleanly()]);
  });

  it('ends when the replica of the user loses Redis, and returns when Redis is reachable again', async () => {
    const { bob, adaSocket } = await signUpFriends();
    const bobSocket = await bob.openSocket(replicaBehindLink.origin);
    await waitForPresence(adaSocket, bob, true);
    await link.cut();
    expect(await waitForPresence(adaSocket, bob, false)).toBeLessThan(
      MAX_DELAY_AFTER_CUT_MS * estimateCpuSlowdown(),
    );
    await link.restore();
    expect(await waitForPresence(adaSocket, bob, true)).toBeLessThan(
      MAX_DELAY_AFTER_CUT_MS * estimateCpuSlowdown(),
    );
    await bobSocket.closeCleanly();
    await waitForPresence(adaSocket, bob, false);
    await adaSocket.closeCleanly();
  });

  it('leaves no keys in Redis when all users have left', async () => {
    const { bob, adaSocket } = await signUpFriends();
    const bobSocket = await bob.openSocket();
    await waitForPresence(adaSocket, bob, true);
    await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
    // The keys of presence begin with `{presence<n>}`. The sorted sets of replicas remain; they contain no users.
    const listRemainingKeys = async () =>
      (await stack.store.listKeys('{presence*')).filter((key) => !key.endsWith(':replicas'));
    await until(listRemainingKeys, (keys) => keys.length === 0);
  });
});
