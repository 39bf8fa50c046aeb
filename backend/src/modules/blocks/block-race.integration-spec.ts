// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. `safety-kills.e2e-spec.ts` has 10,000
// such rounds over two processes that are killed in between.
import { BlockRace, greetPartners } from '../../testing/block-race.driver';
import { recordPastChat } from '../../testing/relationship.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';

const ROUNDS = 200;
/** A block takes longer than a match, and the more so on a busy machine: most rounds start a chat. */
const MIN_ROUNDS_OF_EACH = 3;
/** Both replicas run in this process, so a block and a match take a few milliseconds. */
const MAX_DELAY_MS = 8;

jest.setTimeout(90_000);

describe('a block and a match at the same moment', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterAll(() => stack.close());

  it(`leaves no open chat of the two, and none starts, in ${ROUNDS} rounds over two replicas`, async () => {
    const visitors = [await stack.createVisitor(0, 'female'), await stack.createVisitor(1, 'male')] as const;
    await recordPastChat(stack.replicas[0]!, ...visitors);
    const [first, second] = [await visitors[0].openSocket(), await visitors[1].openSocket()];
    for (const socket of [first, second]) greetPartners(socket);
    const race = new BlockRace(
      [
        { visitor: visitors[0], socket: first },
        { visitor: visitors[1], socket: second },
      ],
      stack.store,
      MAX_DELAY_MS,
    );
    for (let round = 0; round < ROUNDS; round += 1) await race.run(round);

    // Rounds in which only one of the two is ever first would prove nothing.
    expect(race.chats.started).toBeGreaterThanOrEqual(MIN_ROUNDS_OF_EACH);
    expect(race.chats.none).toBeGreaterThanOrEqual(MIN_ROUNDS_OF_EACH);
    for (const socket of [first, second]) expect(socket.seqViolations).toEqual([]);
  });
});
