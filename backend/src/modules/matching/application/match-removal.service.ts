import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { REDIS } from '../../../platform/redis/redis.module';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { matchingKeys } from '../../../platform/redis/redis.keys';
import { finishScript, leaveQueueScript } from '../infrastructure/match-queue.scripts';

/** KEYS of every script of matching. One key is enough, because all keys of matching share its hash tag. */
const KEYS = [matchingKeys.replicas];

/**
 * Removes an erased user from matching. Used by the worker, which has no sockets and therefore no `MatchQueueService`.
 */
@Injectable()
export class MatchRemovalService {
  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Ends the user's search, unless a match was made.
   * @returns
   * - `claimed`: a chat of the user is about to start, so the caller has to try again later.
   * - the session of a chat that the user is in; the caller has to end it.
   * - null: the user has no match; a search, if there was one, has ended.
   */
  async leave(userId: number): Promise<'claimed' | { sessionId: string } | null> {
    const reply = await leaveQueueScript.run(this.redis, KEYS, [userId]);
    if (reply[0] === 'claimed') return 'claimed';
    return reply[0] === 'chatting' ? { sessionId: reply[1] } : null;
  }

  /** Frees the users of a chat that has ended. Idempotent. */
  async finish(sessionId: string, userIds: readonly [number, number]): Promise<void> {
    await finishScript.run(this.redis, KEYS, [
      sessionId,
      this.environment.REMATCH_COOLDOWN_S * 1_000,
      ...userIds,
    ]);
  }
}
