import { runCommand } from './node-version.mjs';

runCommand(() => import('./commands/chaos.mjs'));
