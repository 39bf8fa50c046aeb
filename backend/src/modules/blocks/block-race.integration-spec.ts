// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. `safety-kills.e2e-spec.ts` runs 10,000
// such rounds on two processes, and kills the processes in between.
import { BlockRace, greetPartners } from '../../testing/block-race.driver';
import { recordPastChat } from '../../testing/relationship.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';

const ROUNDS = 200;
/**
 * Minimum number of rounds that start a chat, and of rounds that start none. Few rounds start none: a block takes
 * longer than a match, especially on a busy machine, so the match usually comes first.
 */
const MIN_ROUNDS_OF_EACH = 3;
/**
 * The longest delay between the block and the call that leads to the match. Both replicas run in this process, so a
 * call takes a few milliseconds.
 */
const MAX_DELAY_MS = 8;

jest.setTimeout(90_000);

describe('a block and a match at the same moment', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterAll(() => stack.close());

  it(`leave no open chat of the two users, and no further chat starts, in ${ROUNDS} rounds`, async () => {
    const ada = await stack.createVisitor(0, 'female');
    const bob = await stack.createVisitor(1, 'male');
    await recordPastChat(stack.replicas[0]!, ada, bob); // users can only block users whom they have met
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    // Both send a message as soon as they are matched. `race` expects that none follows the end of the chat.
    for (const socket of [adaSocket, bobSocket]) greetPartners(socket);
    const race = new BlockRace(
      [
        { visitor: ada, socket: adaSocket },
        { visitor: bob, socket: bobSocket },
      ],
      stack.store,
      MAX_DELAY_MS,
    );
    // Each round expects that no chat stays open, and that none starts while the block exists.
    for (let round = 0; round < ROUNDS; round += 1) await race.run(round);

    // The test proves nothing unless the match comes first in some rounds and the block in others.
    expect(race.chats.started).toBeGreaterThanOrEqual(MIN_ROUNDS_OF_EACH);
    expect(race.chats.none).toBeGreaterThanOrEqual(MIN_ROUNDS_OF_EACH);
    // The events of each chat arrived in order, without gap or repetition.
    for (const socket of [adaSocket, bobSocket]) expect(socket.seqViolations).toEqual([]);
  });
});
