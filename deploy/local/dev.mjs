import { runCommand } from './node-version.mjs';

runCommand(() => import('./commands/dev.mjs'));
