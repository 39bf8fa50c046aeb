import process from 'node:process';
import { fileURLToPath } from 'node:url';

const createStandIn = (role) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('stand-in.mjs', import.meta.url)), role],
});

/**
 * Programs that stand in for `thawPrograms`, the programs of the product. `broken` and `stubborn` can run as the
 * worker: `broken` prints an error and exits immediately; `stubborn` ignores SIGTERM.
 */
export const standIns = {
  migrate: createStandIn('migrate'),
  api: createStandIn('api'),
  worker: createStandIn('worker'),
  broken: createStandIn('broken'),
  stubborn: createStandIn('stubborn'),
};
