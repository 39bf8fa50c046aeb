// Uses real PostgreSQL and Redis; two complete api replicas and their sockets run in this process.
import {
  announceStanding,
  askAge,
  flag,
  imposeSanction,
  recordConduct,
} from '../../../testing/standings.fixture';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import type { ThawSocket, ThawVisitor } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { WaitingUserCheckService } from './waiting-user-check.service';

jest.setTimeout(30_000);

interface Tab {
  visitor: ThawVisitor;
  socket: ThawSocket;
}

/**
 * A user's standing (good, flagged, asked for their age, suspended) decides whether they may search and in which pool:
 * flagged users search in the care pool. The helpers of `standings.fixture` commit a new standing. `announceStanding`
 * then announces it to all replicas.
 */
describe('matchmaking by standing', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  const openTab = async (replicaIndex: number, gender: 'female' | 'male'): Promise<Tab> => {
    const visitor = await stack.createVisitor(replicaIndex, gender);
    return { visitor, socket: await visitor.openSocket() };
  };
  const flagAndAnnounce = async ({ visitor }: Tab, replicaIndex: number): Promise<void> => {
    await flag(stack.replicas[replicaIndex]!, visitor.user.id);
    await announceStanding(stack.replicas[replicaIndex]!, visitor.user.id);
  };
  const liftFlagAndAnnounce = async ({ visitor }: Tab, replicaIndex: number): Promise<void> => {
    await recordConduct(stack.replicas[replicaIndex]!, visitor.user.id, 'FlagLifted', { noticeId: null });
    await announceStanding(stack.replicas[replicaIndex]!, visitor.user.id);
  };
  /** Reads the user's record in the match queue; `{}` if there is none. `since` is their place in the queue. */
  const readRecord = ({ visitor }: Tab) => stack.store.redis.hgetall(matchingKeys.user(visitor.user.id));
  const waitForMatch = ({ socket }: Tab, partner: Tab) =>
    socket.next('chat_matched', ({ partnerId }) => partnerId === partner.visitor.user.id);
  const checkRecordsOnAllReplicas = async (): Promise<void> => {
    for (const { app } of stack.replicas) await app.get(WaitingUserCheckService).checkRecords();
  };
  const startSearch = ({ socket }: Tab) => socket.request('join_queue', {});

  it('matches flagged users with each other only, across replicas', async () => {
    const [ada, bob, eve] = [
      await openTab(0, 'female'),
      await openTab(0, 'male'),
      await openTab(1, 'female'),
    ];
    await flagAndAnnounce(ada, 0);
    await flagAndAnnounce(eve, 1);
    await startSearch(ada);
    await startSearch(bob);
    expect(await readRecord(ada)).toMatchObject({ state: 'searching', pool: 'care' });
    expect(await readRecord(bob)).toMatchObject({ state: 'searching', pool: '' }); // '' is the common pool
    await startSearch(eve);
    await Promise.all([waitForMatch(ada, eve), waitForMatch(eve, ada)]);
    expect(bob.socket.all('chat_matched')).toEqual([]);
  });

  it('moves a searching user to the care pool when another replica flags them, and keeps their place', async () => {
    const [ada, bob] = [await openTab(0, 'female'), await openTab(0, 'male')];
    await flagAndAnnounce(bob, 0);
    await startSearch(bob);
    await startSearch(ada);
    const { since } = await readRecord(ada);
    await flagAndAnnounce(ada, 1);
    await Promise.all([waitForMatch(ada, bob), waitForMatch(bob, ada)]);
    expect(await readRecord(ada)).toMatchObject({ pool: 'care', since });
  });

  it('matches a user with users of the common pool again once the flag is lifted', async () => {
    const [ada, bob] = [await openTab(0, 'female'), await openTab(1, 'male')];
    await flagAndAnnounce(ada, 0);
    await startSearch(ada);
    await startSearch(bob);
    await liftFlagAndAnnounce(ada, 1);
    await Promise.all([waitForMatch(ada, bob), waitForMatch(bob, ada)]);
  });

  it('moves a user to the care pool when the process that committed the flag died before announcing it', async () => {
    const ada = await openTab(0, 'female');
    await startSearch(ada);
    await flag(stack.replicas[1]!, ada.visitor.user.id);
    await checkRecordsOnAllReplicas();
    expect(await readRecord(ada)).toMatchObject({ state: 'searching', pool: 'care' });
  });

  it('starts no chat across pools when a flag was committed before the match but never announced', async () => {
    const [ada, bob, eve] = [await openTab(0, 'female'), await openTab(1, 'male'), await openTab(0, 'male')];
    await startSearch(ada);
    const { since } = await readRecord(ada);
    await flag(stack.replicas[1]!, ada.visitor.user.id);
    await startSearch(bob);
    // The queue matches the two, but the start of the chat finds the flag and returns both to the queue.
    await until(
      async () => (await readRecord(ada)).pool === 'care' && (await readRecord(bob)).state === 'searching',
    );
    expect(await readRecord(ada)).toMatchObject({ state: 'searching', since });
    await startSearch(eve); // matches Bob, who is still in the queue
    await Promise.all([waitForMatch(bob, eve), waitForMatch(eve, bob)]);
    expect(ada.socket.all('chat_matched')).toEqual([]);
    expect(bob.socket.all('chat_matched')).toHaveLength(1);
  });

  it('starts no chat with a user suspended before the match, and keeps the other user in the queue', async () => {
    const [ada, bob, eve] = [await openTab(0, 'female'), await openTab(1, 'male'), await openTab(0, 'male')];
    await startSearch(ada);
    await imposeSanction(stack.replicas[1]!, ada.visitor.user.id);
    await startSearch(bob);
    // The queue matches the two, but the start of the chat finds the suspension.
    await until(async () => (await readRecord(ada)).state === undefined);
    await until(async () => (await readRecord(bob)).state === 'searching');
    await startSearch(eve);
    await Promise.all([waitForMatch(bob, eve), waitForMatch(eve, bob)]);
    expect(ada.socket.all('chat_matched')).toEqual([]);
  });

  it('ends the search of a user who is asked for their age, in every tab, and refuses a new search', async () => {
    const ada = await openTab(0, 'female');
    const secondSocket = await ada.visitor.openSocket(stack.origins[1]);
    await startSearch(ada);
    await secondSocket.next('queue_joined');
    await askAge(stack.replicas[0]!, ada.visitor.user.id);
    await announceStanding(stack.replicas[0]!, ada.visitor.user.id);
    await Promise.all([ada.socket.next('queue_left'), secondSocket.next('queue_left')]);
    expect(await readRecord(ada)).toEqual({});
    // With every standing that forbids a search, the refusal has this code.
    expect(await ada.socket.ask('join_queue', {})).toMatchObject({ data: { code: 'suspended' } });
    // No replica restores the search. There are two checks, because the first one ignores a missing record.
    await checkRecordsOnAllReplicas();
    await checkRecordsOnAllReplicas();
    expect(await readRecord(ada)).toEqual({});
  });
});
