import { matchingKeys } from '../platform/redis/redis.keys';
import type { TestRedis } from './test-redis.harness';
import { type ReceivedFrame, textMessage, type ThawSocket, type ThawVisitor } from './thaw.client';
import { until } from './until.functions';

/** A user with an open page. */
export interface RacingUser {
  visitor: ThawVisitor;
  socket: ThawSocket;
}

/** One of the two users in both orders: who joins the queue first, or who blocks whom. */
type Order = readonly [RacingUser, RacingUser];

/** How a round goes. */
interface RoundPlan {
  /** This user is already in the queue when the race begins. */
  waiting: RacingUser;
  /** The join of this user, which leads to the match, races with the block. */
  joining: RacingUser;
  blocker: RacingUser;
  blocked: RacingUser;
  /** Whether the block is sent before the join. */
  isBlockFirst: boolean;
  /** Time between the two calls. */
  delayMs: number;
}

/** Number of different delays between the two calls. */
const DELAY_COUNT = 120;
/** Successive rounds are this many delays apart. Every delay occurs, because 7 and 120 have no common factor. */
const DELAY_STEP = 7;

/** Changes every `period` rounds between true and false; true in round 0. */
const alternate = (round: number, period: number): boolean => Math.floor(round / period) % 2 === 0;

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
  /** In how many rounds a chat started, and in how many none did. */
  readonly chats = { started: 0, none: 0 };

  /** @param maxDelayMs the longest delay between the block and the call that leads to the match. */
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
   * Runs one round: matches the users while one blocks the other, then lifts the block. Expects that no chat stays open
   * and that none starts while the block exists.
   * @throws Error with the number of the round.
   */
  async run(round: number): Promise<void> {
    try {
      await this.runPlan(this.planRound(round));
    } catch (error) {
      throw new Error(`Round ${round} failed: ${error instanceof Error ? error.message : 'unknown error'}`, {
        cause: error,
      });
    }
  }

  private planRound(round: number): RoundPlan {
    const order: Order = this.users;
    const reversed: Order = [this.users[1], this.users[0]];
    const [joining, waiting] = alternate(round, 1) ? order : reversed;
    const [blocker, blocked] = alternate(round, 2) ? order : reversed;
    const delayShare = ((round * DELAY_STEP) % DELAY_COUNT) / DELAY_COUNT;
    return {
      waiting,
      joining,
      blocker,
      blocked,
      isBlockFirst: alternate(round, 4),
      delayMs: delayShare * this.maxDelayMs,
    };
  }

  private async runPlan(plan: RoundPlan): Promise<void> {
    for (const { socket } of this.users) socket.frames.length = 0; // forgets the frames of earlier rounds
    await this.blockAndMatch(plan);
    await this.expectNoOpenChat();
    const sessionIds = new Set(this.listMatches().map(({ sessionId }) => sessionId));
    expect(sessionIds.size).toBeLessThanOrEqual(1);
    this.chats[sessionIds.size > 0 ? 'started' : 'none'] += 1;

    await this.expectNoMatchWhileBlocked();
    await this.unblock(plan.blocker.visitor, plan.blocked.visitor);
    // At most the one match from the race, received by both sockets.
    expect(this.listMatches().length).toBeLessThanOrEqual(2);
  }

  private async blockAndMatch(plan: RoundPlan): Promise<void> {
    const { waiting, joining, blocker, blocked, isBlockFirst, delayMs } = plan;
    await waiting.socket.request('join_queue', {});
    const join = () => joining.socket.ask('join_queue', {});
    const block = () => this.block(blocker.visitor, blocked.visitor);
    const firstCall = isBlockFirst ? block() : join();
    await this.wait(delayMs);
    const secondCall = isBlockFirst ? join() : block();
    const [firstResponse, secondResponse] = await Promise.all([firstCall, secondCall]);
    expect(isBlockFirst ? firstResponse : secondResponse).toMatchObject({ status: 201 });
  }

  private async expectNoMatchWhileBlocked(): Promise<void> {
    for (const { socket } of this.users) await socket.request('join_queue', {});
    expect(await this.readStates()).toEqual(['searching', 'searching']);
    for (const { socket } of this.users) await socket.request('leave_queue', {});
  }

  /** The matches that the two sockets have received in this round. */
  private listMatches(): Record<string, unknown>[] {
    return this.users.flatMap(({ socket }) => socket.all('chat_matched'));
  }

  /** Waits until all chats of the users have ended. Expects that neither user received an event after the end. */
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

  /** Waits in a loop, because the resolution of a timer, 1 ms, is too coarse. Lets Node.js handle I/O meanwhile. */
  private async wait(ms: number): Promise<void> {
    const endsAt = performance.now() + ms;
    while (performance.now() < endsAt) await new Promise(setImmediate);
  }
}
