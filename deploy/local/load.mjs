import { checkNodeThenRun } from './node-version.mjs';

// Usage: npm run load -- smoke|chat|matching|private|storm|soak
// The command is imported after the check of the Node version, because an old Node could not parse it.
checkNodeThenRun(() => import('./commands/load.mjs'));
