import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const POLL_INTERVAL_MS = 25;

/**
 * Pids are reused. A pid together with the start time of its process identifies one process, even after a restart of
 * the launcher or of the machine.
 * @typedef {{pid: number, startedAt: string}} ProcessIdentity
 */

/**
 * Returns the identity of the process that runs with this pid, or undefined if there is none. A zombie does not count
 * as running.
 */
export function identify(pid) {
  const startedAt = fs.existsSync('/proc/self/stat') ? readStartTimeFromProc(pid) : readStartTimeFromPs(pid);
  return startedAt && { pid, startedAt };
}

/** Whether exactly this process still runs. False for an undefined identity. */
export function isRunning(identity) {
  if (!identity || !existsWithPid(identity.pid)) return false;
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Sends a signal to exactly this process; does nothing when it no longer runs. */
export function signalProcess(identity, signal) {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * Sends one signal after the other until the process is gone, and waits up to `waitMs` milliseconds after each.
 * @param {ProcessIdentity | undefined} identity
 * @param {{signal: string, waitMs: number}[]} steps
 */
export async function endProcess(identity, steps) {
  for (const { signal, waitMs } of steps) {
    signalProcess(identity, signal);
    if (await endsWithin(identity, waitMs)) return;
  }
}

async function endsWithin(identity, limitMs) {
  const deadline = Date.now() + limitMs;
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  return true;
}

/** Reads the command line of a process, its arguments separated by blanks; empty when no such process runs. */
export function readCommandLine(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

function readStartTimeFromProc(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields are numbered as in proc_pid_stat(5). Field 2 is the program name in brackets, which may itself contain
    // blanks and brackets.
    const fieldsFrom3 = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const readField = (number) => fieldsFrom3[number - 3];
    const [state, startTicks] = [readField(3), readField(22)];
    const isDead = state === 'Z' || state === 'X';
    if (isDead) return undefined;
    // The start time is in ticks since the start of the machine, so it is unique only together with the boot id.
    return `${startTicks}@${readBootId()}`;
  } catch {
    return undefined;
  }
}

function readBootId() {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // The same text for every boot: only the start times differ.
    return 'boot';
  }
}

function readStartTimeFromPs(pid) {
  return (
    spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() || undefined
  );
}

/** Whether a process has this pid, even a zombie. Cheaper than `identify`, which may start `ps`. */
function existsWithPid(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists but may not be signalled.
    return error.code === 'EPERM';
  }
}
