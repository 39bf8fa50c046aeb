import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { type Clock } from '@/lib/clock';
import { type Act } from './acting';

/** The connection's delays are divided by this number, so that a test with many cuts stays short. */
const SPEED_UP = 50;
/**
 * The delays to shorten: before each reconnect attempt, and until a connection counts as stable. A clock does not know
 * what a timer is for, so it shortens every timer whose delay is one of these numbers. Other delays, such as the
 * timeouts of responses, stay as they are.
 */
const SHORTENED_DELAYS_MS: ReadonlySet<number> = new Set([
  ...Array.from({ length: limits.reconnectAttempts }, (_, index) => reconnectDelayMs(index + 1)),
  limits.reconnectResetAfterMs,
]);

const shortenDelay = (delayMs: number): number =>
  SHORTENED_DELAYS_MS.has(delayMs) ? delayMs / SPEED_UP : delayMs;

/** A clock whose timers do their work through `act`. @param adjustDelay returns the delay that a timer really waits */
export const createClock = (act: Act, adjustDelay = (delayMs: number): number => delayMs): Clock => ({
  now: () => Date.now(),
  setTimeout: (run, delayMs) => Number(setTimeout(() => act(run), adjustDelay(delayMs)).unref()),
  clearTimeout: (timer) => clearTimeout(timer),
});

/** A clock for the connection, which reconnects sooner than in the product. */
export const createConnectionClock = (act: Act): Clock => createClock(act, shortenDelay);
