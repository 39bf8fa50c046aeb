import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { localHome } from '../paths.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { startPgBouncer } from '../stores/pgbouncer.mjs';
import { openStores } from '../stores/stores.mjs';
import { runInForeground } from './with-stores.mjs';

/**
 * `with-pooler.mjs -- <command>`: starts PostgreSQL, Redis, and a PgBouncer in transaction mode in front of PostgreSQL.
 * Runs a command with DATABASE_URL, REDIS_URL and POOLER_URL (the address of PgBouncer) set, and exits with the exit
 * code of the command. Prepared statements are off, because Debian's PgBouncer 1.18 does not support them in this mode.
 */
export async function main(args) {
  const [command, ...commandArgs] = args[0] === '--' ? args.slice(1) : args;
  if (!command) throw new LauncherError('The command to run is missing. Usage: with-pooler.mjs -- <command>');
  // Progress goes to standard error, because standard output belongs to the command.
  const logStep = (label, text) => process.stderr.write(`${label}: ${text}\n`);
  await ensurePackages(logStep);
  const stores = await openStores({ home: localHome });
  try {
    const pooler = await startPgBouncer({ databaseUrl: stores.databaseUrl });
    try {
      process.exitCode = await runInForeground(command, commandArgs, {
        ...process.env,
        DATABASE_URL: stores.databaseUrl,
        POOLER_URL: pooler.url,
        DATABASE_PREPARED_STATEMENTS: 'off',
        REDIS_URL: stores.redisUrl,
      });
    } finally {
      await pooler.stop();
    }
  } finally {
    await stores.close();
  }
}
