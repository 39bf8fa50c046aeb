import { checkNodeThenRun } from './node-version.mjs';

// Starts PostgreSQL and a Redis Cluster, runs a command with their addresses in its environment, and stops them.
// Usage: node deploy/local/with-cluster.mjs -- <command>
// The command is imported after the check of the Node version, because an old Node could not parse it.
checkNodeThenRun(() => import('./commands/with-cluster.mjs'));
