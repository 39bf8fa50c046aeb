import { DomainError } from '../../../platform/errors/domain.errors';
import { buildBucketKey, type RateLimitedAction, type RandomChatState } from './random-chat.state';
import { computeMsUntilToken } from './token-bucket.functions';

/**
 * Refuses an action for which no token is left. The tokens are counted from the chat's own events, so the limit holds
 * across all replicas and needs no call to Redis.
 * @param command.decidedAtMs the time of the command: epoch ms, by the clock of Redis.
 * @throws DomainError rate_limited, with the time to wait.
 */
export const requireWithinRate = (
  state: RandomChatState,
  action: RateLimitedAction,
  userId: number,
  { decidedAtMs }: { decidedAtMs: number },
): void => {
  const retryAfterMs = computeMsUntilToken(
    state.buckets.get(buildBucketKey(action, userId)),
    decidedAtMs,
    state.rates[action],
  );
  if (retryAfterMs > 0) throw new DomainError('rate_limited', { retryAfterMs });
};
