import process from 'node:process';

// npm passes a Ctrl-C on to us although the terminal has told us already; a human does not press twice that fast.
const SAME_PRESS_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls `stop` at the first SIGINT, SIGTERM or SIGHUP, and `kill` at the second.
 * @param {{stop: (signal: string) => void, kill: () => void}} reactions
 * @returns {() => void} stops listening
 */
export function onInterruption({ stop, kill }) {
  let firstAt;
  const listener = (signal) => {
    const now = Date.now();
    if (firstAt === undefined) {
      firstAt = now;
      stop(signal);
    } else if (now - firstAt > SAME_PRESS_MS) {
      kill();
    }
  };
  SIGNALS.forEach((signal) => process.on(signal, listener));
  return () => SIGNALS.forEach((signal) => process.off(signal, listener));
}
