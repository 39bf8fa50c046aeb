import { checkNodeThenRun } from './node-version.mjs';

// Starts PgBouncer, PostgreSQL and Redis, runs a command with their addresses in its environment, and stops them.
// Usage: node deploy/local/with-pooler.mjs -- <command>
// The command is imported after the check of the Node version, because an old Node could not parse it.
checkNodeThenRun(() => import('./commands/with-pooler.mjs'));
