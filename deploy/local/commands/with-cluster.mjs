import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { localHome } from '../paths.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { openStores } from '../stores/stores.mjs';
import { runInForeground } from './with-stores.mjs';

/**
 * `with-cluster.mjs -- <command>`: starts PostgreSQL and a new Redis Cluster of six processes, runs a command with
 * DATABASE_URL and REDIS_URL set, and exits with the exit code of the command.
 */
export async function main(args) {
  const [command, ...commandArgs] = args[0] === '--' ? args.slice(1) : args;
  if (!command)
    throw new LauncherError('The command to run is missing. Usage: with-cluster.mjs -- <command>');
  // Progress goes to standard error, because standard output belongs to the command.
  const logStep = (label, text) => process.stderr.write(`${label}: ${text}\n`);
  await ensurePackages(logStep);
  // Imported only now, because redis-cluster.mjs needs ioredis, which `ensurePackages` may have just installed.
  const { startRedisCluster } = await import('../stores/redis-cluster.mjs');
  const cluster = await startRedisCluster({ logStep });
  try {
    const env = { ...process.env, REDIS_URL: cluster.adminUrl };
    // Because REDIS_URL is set, this starts no private Redis.
    const stores = await openStores({ home: localHome, env });
    try {
      const commandEnv = { ...env, DATABASE_URL: stores.databaseUrl };
      process.exitCode = await runInForeground(command, commandArgs, commandEnv);
    } finally {
      await stores.close();
    }
  } finally {
    await cluster.stop();
  }
}
