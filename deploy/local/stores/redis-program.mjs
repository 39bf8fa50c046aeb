import { Complaint } from '../complaint.mjs';
import { unpackDebian } from '../provide/debian-packages.mjs';
import { findProgram } from '../provide/find-program.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';

const OLDEST_MAJOR = 7;

/**
 * Finds a Redis of version 7 or later, or a Valkey: installed on this machine, else unpacked from Debian packages.
 * @returns {Promise<{command: string, env: Record<string, string>}>}
 * @throws {Complaint} when there is none
 */
export async function redisProgram(say) {
  for (const name of ['redis-server', 'valkey-server']) {
    const command = findProgram([name], ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']);
    if (command && (await majorOf(command)) >= OLDEST_MAJOR) return { command, env: {} };
  }
  const unpacked = await unpackDebian(['redis-server', 'redis-tools'], 'usr/bin/redis-server', say);
  if (unpacked && (await majorOf(unpacked.command, unpacked.env)) >= OLDEST_MAJOR) return unpacked;
  throw new Complaint(
    `Thaw needs Redis ${OLDEST_MAJOR} or later and found none: install redis-server (or valkey-server), ` +
      'or give the address of one in REDIS_URL.',
  );
}

async function majorOf(command, env) {
  const { output } = await runToEnd(command, ['--version'], {
    env: { ...process.env, ...env },
    limitMs: 5_000,
  });
  return Number(/v=(\d+)/.exec(output)?.[1] ?? 0);
}
