import { checkNodeThenRun } from './node-version.mjs';

// Usage: npm test -- [--optional] [--only <kind or stage>] [--long] [--verbose]
// The command is imported after the check of the Node version, because an old Node could not parse it.
checkNodeThenRun(() => import('./commands/test.mjs'));
