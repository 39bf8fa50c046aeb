import { DomainError } from '../../../platform/errors/domain.errors';
import { type RateLimitedAction, rateLimitKey, type RandomChatState } from './random-chat.state';
import { computeMsUntilToken } from './token-bucket.functions';

/**
 * The limit is computed from the chat's own events, so it holds across all replicas and needs no call.
 * @param at epoch ms, by the clock of Redis.
 * @throws DomainError rate_limited, with the time to wait.
 */
export const requireRate = (
  state: RandomChatState,
  action: RateLimitedAction,
  userId: number,
  { at }: { at: number },
): void => {
  const retryAfterMs = computeMsUntilToken(
    state.buckets.get(rateLimitKey(action, userId)),
    at,
    state.rates[action],
  );
  if (retryAfterMs > 0) throw new DomainError('rate_limited', { retryAfterMs });
};
