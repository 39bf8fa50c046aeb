import { matchingKeys } from '../platform/redis/redis.keys';
import type { TestRedis } from './test-redis.harness';
import { type ReceivedFrame, textMessage, type ThawSocket, type ThawVisitor } from './thaw.client';
import { until } from './until.functions';

/** A user with an open page. */
export interface RacingUser {
  visitor: ThawVisitor;
  socket: ThawSocket;
}

/**
 * Number of different delays between the block and the second user's `join_queue`, so that these two calls interleave
 * differently from round to round.
 */
const DELAY_COUNT = 120;
/** The step between the delays of successive rounds. It has no factor in common with 120, so every delay occurs. */
const DELAY_STEP = 7;

/** Lets a socket send a message in each new chat, as soon as it receives the match. */
export const greetPartners = ({ webSocket }: ThawSocket): void => {
  webSocket.on('message', (raw) => {
    const { event, data } = JSON.parse((raw as Buffer).toString()) as ReceivedFrame;
    if (event === 'chat_matched')
      webSocket.send(
        JSON.stringify({ event: 'random_message', data: textMessage(String(data.sessionId), 'hi') }),
      );
  });
};

/** The events of one chat that a socket has received. */
export const listEvents = ({ frames }: ThawSocket, sessionId: string): string[] =>
  frames.filter(({ data }) => data?.sessionId === sessionId).map(({ event }) => event);

/** Two users who are matched while one of them blocks the other, once in each round. */
export class BlockRace {
  /** Number of rounds in which a chat started, and of rounds in which none did. */
  readonly chats = { started: 0, none: 0 };

  /** @param maxDelayMs the longest delay between the block and the second user's `join_queue`. */
  constructor(
    readonly users: readonly [RacingUser, RacingUser],
    private readonly store: TestRedis,
    private readonly maxDelayMs: number,
  ) {}

  /** The states of both users in matching; `nowhere` for a user who is neither searching nor in a match. */
  async readStates(): Promise<string[]> {
    const records = this.users.map(({ visitor }) => matchingKeys.user(visitor.user.id));
    const states = await Promise.all(records.map((record) => this.store.redis.hget(record, 'state')));
    return states.map((state) => state ?? 'nowhere');
  }

  /**
   * Matches the users and blocks at the same time. Expects that no chat stays open and that none starts while the block
   * exists, then lifts the block.
   * @throws Error with the number of the round.
   */
  async run(round: number): Promise<void> {
    try {
      await this.blockAndMatch(round);
    } catch (error) {
      throw new Error(`Round ${round} failed: ${error instanceof Error ? error.message : 'unknown error'}`, {
        cause: error,
      });
    }
  }

  private async blockAndMatch(round: number): Promise<void> {
    const sockets = this.users.map(({ socket }) => socket);
    for (const socket of sockets) socket.frames.length = 0; // forgets the frames of earlier rounds
    // The rounds alternate who joins the queue first, who blocks, and whether the block precedes the second join.
    const [first, second] = round % 2 ? this.users : ([this.users[1], this.users[0]] as const);
    const [blocker, blocked] = round % 4 < 2 ? this.users : ([this.users[1], this.users[0]] as const);
    await first.socket.request('join_queue', {});
    const join = () => second.socket.ask('join_queue', {});
    const block = () => this.block(blocker.visitor, blocked.visitor);
    const isBlockFirst = Math.floor(round / 4) % 2 === 0;
    const pending: Promise<unknown>[] = [isBlockFirst ? block() : join()];
    await this.waitShareOfMaxDelay(((round * DELAY_STEP) % DELAY_COUNT) / DELAY_COUNT);
    pending.push(isBlockFirst ? join() : block());
    const responses = await Promise.all(pending);
    const blockResponse = responses[isBlockFirst ? 0 : 1];
    expect(blockResponse).toMatchObject({ status: 201 });

    await this.expectNoOpenChat();
    const sessionIds = new Set(
      sockets.flatMap((socket) => socket.all('chat_matched').map(({ sessionId }) => String(sessionId))),
    );
    expect(sessionIds.size).toBeLessThanOrEqual(1);
    this.chats[sessionIds.size > 0 ? 'started' : 'none'] += 1;

    // While the block exists, both users search without being matched.
    for (const socket of sockets) await socket.request('join_queue', {});
    expect(await this.readStates()).toEqual(['searching', 'searching']);
    for (const socket of sockets) await socket.request('leave_queue', {});
    await this.unblock(blocker.visitor, blocked.visitor);
    // At most the one match from the race, received by both sockets.
    expect(sockets.flatMap((socket) => socket.all('chat_matched')).length).toBeLessThanOrEqual(2);
  }

  /** Waits until no chat of the users is open. Expects that each of their chats ended, and that no event followed. */
  async expectNoOpenChat(): Promise<void> {
    const hasNoMatch = (state: string) => state === 'nowhere' || state === 'searching';
    await until(async () => (await this.readStates()).every(hasNoMatch));
    for (const { socket } of this.users) {
      for (const { sessionId } of socket.all('chat_matched')) {
        await until(() => listEvents(socket, String(sessionId)).includes('chat_skipped'));
        expect(listEvents(socket, String(sessionId)).at(-1)).toBe('chat_skipped');
      }
    }
  }

  block(blocker: ThawVisitor, blocked: ThawVisitor): ReturnType<ThawVisitor['call']> {
    return blocker.call('POST', '/api/blocks', { blockerId: blocker.user.id, blockedId: blocked.user.id });
  }

  async unblock(blocker: ThawVisitor, blocked: ThawVisitor): Promise<void> {
    const path = `/api/blocks/${blocker.user.id}/${blocked.user.id}`;
    expect((await blocker.call('DELETE', path)).status).toBe(204);
  }

  /** Waits without a timer, whose resolution of 1 ms is too coarse. `setImmediate` lets the sockets of Node.js work. */
  private async waitShareOfMaxDelay(share: number): Promise<void> {
    const endsAt = performance.now() + share * this.maxDelayMs;
    while (performance.now() < endsAt) await new Promise(setImmediate);
  }
}
