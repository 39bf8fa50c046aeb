import { checkNodeThenRun } from './node-version.mjs';

// Usage: npm run chaos -- [--seed N] [--long]
// The command is imported after the check of the Node version, because an old Node could not parse it.
checkNodeThenRun(() => import('./commands/chaos.mjs'));
