import fs from 'node:fs';
import process from 'node:process';

/**
 * The terminal sends the signal of Ctrl-C to the whole process group, and npm forwards this signal again. Signals
 * within this time after the first one count as the same key press.
 */
const SAME_KEY_PRESS_MS = 500;
const PARENT_POLL_INTERVAL_MS = 500;

/**
 * Calls `stop` on the first SIGINT, SIGTERM or SIGHUP. The end of the parent npm process counts as a SIGTERM. Calls
 * `kill` on the next signal that is not part of the same key press.
 * @param {{stop: (signal: string) => void, kill: () => void}} handlers
 * @returns {() => void} stops listening
 */
export function onInterruption({ stop, kill }) {
  let firstSignalAt;
  const onSignal = (signal) => {
    const now = Date.now();
    if (firstSignalAt === undefined) {
      firstSignalAt = now;
      stop(signal);
    } else if (now - firstSignalAt > SAME_KEY_PRESS_MS) {
      kill();
    }
  };
  // nohup makes the process ignore SIGHUP. A listener would undo that.
  const signals = isIgnoringHangUp() ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  signals.forEach((signal) => process.on(signal, onSignal));
  const stopWatching = watchParent(() => onSignal('SIGTERM'));
  return () => {
    stopWatching();
    signals.forEach((signal) => process.off(signal, onSignal));
  };
}

/** Calls `onEnd` when the parent npm process ends. Polls it, because a killed npm does not signal its children. */
function watchParent(onEnd) {
  // npm sets this variable for the scripts that it runs.
  if (!process.env.npm_lifecycle_event) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  }, PARENT_POLL_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isIgnoringHangUp() {
  try {
    const [, ignoredSignals] = /^SigIgn:\s*([0-9a-f]+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'));
    // Bit n - 1 stands for signal n, and SIGHUP is signal 1.
    return (BigInt(`0x${ignoredSignals}`) & 1n) === 1n;
  } catch {
    // The file is missing: only Linux has it.
    return false;
  }
}
