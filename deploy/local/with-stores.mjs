import { runCommand } from './node-version.mjs';

runCommand(() => import('./commands/with-stores.mjs'));
