import fs from 'node:fs';
import process from 'node:process';

// The terminal sends Ctrl-C to the whole process group, and npm forwards it a second time: signals this close together
// are one key press.
const SAME_PRESS_MS = 500;
const LOOK_AT_PARENT_MS = 500;

/**
 * Calls `stop` on the first SIGINT, SIGTERM or SIGHUP, or when the parent npm process is gone, and `kill` on the
 * second.
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
  // nohup sets SIGHUP to be ignored; a listener would undo that.
  const signals = isIgnoringHangUp() ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  signals.forEach((signal) => process.on(signal, listener));
  const stopWatching = watchNpm(() => listener('SIGTERM'));
  return () => {
    stopWatching();
    signals.forEach((signal) => process.off(signal, listener));
  };
}

/** Polls the parent process: a killed npm does not signal its children. */
function watchNpm(onGone) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, LOOK_AT_PARENT_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isIgnoringHangUp() {
  try {
    const [, ignored] = /^SigIgn:\s*([0-9a-f]+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'));
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return false;
  }
}
