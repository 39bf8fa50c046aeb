import { Counter, Trend } from 'k6/metrics';
import { isDisrupted } from './settings.ts';

// Durations are in milliseconds, measured with Date.now().

/** From `join_queue` to `chat_matched`. */
export const timeToMatch = new Trend('thaw_time_to_match', true);
/** From sending a command to its response. */
export const roundTrip = new Trend('thaw_round_trip', true);
/** From sending a message to its arrival at the other user. */
export const delivery = new Trend('thaw_delivery', true);
/** From the loss of a socket to the reconnect, including the wait before the attempt. */
export const timeToResume = new Trend('thaw_resume', true);
/** Stored events that a participant never received. */
export const lost = new Counter('thaw_lost');
/** Events that a participant received twice. */
export const duplicates = new Counter('thaw_doubled');
/** Events that a participant received after a later one. */
export const outOfOrder = new Counter('thaw_out_of_order');
/** Commands without a response. */
export const unacked = new Counter('thaw_unacked');
/**
 * Errors by `code`. `expected` is "yes" for errors that occur when two users act at the same moment, such as a message
 * to a chat that the partner is leaving.
 */
export const errors = new Counter('thaw_errors');

/** Codes of correct responses to a user whose partner acted first. */
const RACE_CODES = new Set([
  'session_ended',
  'not_in_session',
  'game_active',
  'game_not_active',
  'already_answered',
]);

/**
 * Whether a correct service may respond with this code. Runs that stop or kill replicas (`isDisrupted`) also cause
 * `unavailable`.
 */
const isExpectedError = (code: string): boolean =>
  RACE_CODES.has(code) || (isDisrupted && code === 'unavailable');

// A global of k6 that its type definitions leave out.
declare const console: { error(text: string): void };

/** Logs a failure with its details, which k6's summary does not show. */
export const logError = (text: string): void => console.error(text);

export const countError = (code: string, event = 'none'): void => {
  const isExpected = isExpectedError(code);
  if (!isExpected) logError(`Unexpected error ${code} in response to ${event}`);
  errors.add(1, { code, expected: isExpected ? 'yes' : 'no' });
};

/** Adds zero to each counter, because k6 evaluates no threshold of a metric that has no sample. */
export const initializeCounters = (): void => {
  for (const counter of [lost, duplicates, outOfOrder, unacked]) counter.add(0);
  errors.add(0, { code: 'none', expected: 'no' });
};

/**
 * Thresholds of every script: no lost, duplicate or out-of-order events, no missing acks, no unexpected errors and no
 * failed HTTP requests.
 */
export const commonThresholds: Record<string, string[]> = {
  thaw_lost: ['count==0'],
  thaw_doubled: ['count==0'],
  thaw_out_of_order: ['count==0'],
  thaw_unacked: ['count==0'],
  'thaw_errors{expected:no}': ['count==0'],
  http_req_failed: ['rate==0'],
};
