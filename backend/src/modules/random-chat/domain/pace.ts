import { DomainError } from '../../../platform/errors/domain-error';
import type { Pace } from './random-chat.commands';
import { type Paced, pacedKey, type RandomChatState } from './random-chat.state';

/**
 * Token bucket over what has happened: how long (ms) until one more fits, 0 when it fits now. Counting the chat's own
 * events holds over all replicas and costs no call.
 * @param times when the latest ones happened, oldest first.
 */
export const waitForPace = (times: readonly number[], at: number, { intervalMs, burst }: Pace): number => {
  let tokens = burst;
  let last = times[0] ?? at;
  for (const time of times) {
    tokens = Math.min(burst, tokens + (time - last) / intervalMs) - 1;
    last = time;
  }
  tokens = Math.min(burst, tokens + Math.max(0, at - last) / intervalMs);
  return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * intervalMs);
};

/** @throws DomainError rate_limited, with the time to wait. */
export const requirePace = (
  state: RandomChatState,
  what: Paced,
  userId: number,
  { at, pace }: { at: number; pace: Pace },
): void => {
  const retryAfterMs = waitForPace(state.doneAt.get(pacedKey(what, userId)) ?? [], at, pace);
  if (retryAfterMs > 0) throw new DomainError('rate_limited', { retryAfterMs });
};
