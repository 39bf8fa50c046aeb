import { LauncherError } from '../launcher-error.mjs';
import { unpackDebian } from '../provide/debian-packages.mjs';
import { findProgram } from '../provide/find-program.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';

const MIN_MAJOR_VERSION = 7;
const VERSION_TIMEOUT_MS = 5_000;

/**
 * Finds a Redis of version 7 or later, or a Valkey. An installed one is preferred to one unpacked from Debian packages.
 * @param {(label: string, text: string) => void} logStep  prints a line of progress
 * @returns {Promise<{command: string, env: Record<string, string>}>}
 * @throws {LauncherError} when there is none
 */
export async function findRedis(logStep) {
  for (const name of ['redis-server', 'valkey-server']) {
    const command = findProgram([name], ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']);
    if (command && (await readMajorVersion(command)) >= MIN_MAJOR_VERSION) return { command, env: {} };
  }
  const unpacked = await unpackDebian(['redis-server', 'redis-tools'], 'usr/bin/redis-server', logStep);
  if (unpacked && (await readMajorVersion(unpacked.command, unpacked.env)) >= MIN_MAJOR_VERSION)
    return unpacked;
  throw new LauncherError(
    `Thaw needs Redis ${MIN_MAJOR_VERSION} or later and found none: install redis-server (or valkey-server), ` +
      'or give the address of one in REDIS_URL.',
  );
}

/** @returns the major version of the program, or 0 if it cannot be read */
async function readMajorVersion(command, env) {
  const { output } = await runToEnd(command, ['--version'], {
    env: { ...process.env, ...env },
    limitMs: VERSION_TIMEOUT_MS,
  });
  return Number(/v=(\d+)/.exec(output)?.[1] ?? 0);
}
