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
    const deadline = Date.now() + waitMs;
    while (isRunning(identity)) {
      if (Date.now() > deadline) break;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
    if (!isRunning(identity)) return;
  }
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
    // The second field is the program name in brackets, which may itself contain blanks and brackets. The fields after
    // it begin with the state (field 3); the start time is field 22 (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[22 - 3]];
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
    // Without a boot id, start times are compared alone.
    return 'boot';
  }
}

function readStartTimeFromPs(pid) {
  return (
    spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() || undefined
  );
}

/** Whether a process, or a zombie, has this pid. A cheap check before `identify`, which may start `ps`. */
function existsWithPid(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists but may not be signalled.
    return error.code === 'EPERM';
  }
}
