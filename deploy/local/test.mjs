import { runCommand } from './node-version.mjs';

runCommand(() => import('./commands/test.mjs'));
