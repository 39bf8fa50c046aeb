import { checkNodeThenRun } from './node-version.mjs';

// Usage: npm start -- [--replicas N] [--port P] [--verbose]
// The command is imported after the check of the Node version, because an old Node could not parse it.
checkNodeThenRun(() => import('./commands/start.mjs'));
