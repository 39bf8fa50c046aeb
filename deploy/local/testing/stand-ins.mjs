import process from 'node:process';
import { fileURLToPath } from 'node:url';

const standIn = (role) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('stand-in.mjs', import.meta.url)), role],
});

/** In the place of `thawPrograms`; `broken` ends at once with a word of complaint, `stubborn` does not by SIGTERM. */
export const standIns = {
  migrate: standIn('migrate'),
  api: standIn('api'),
  worker: standIn('worker'),
  broken: standIn('broken'),
  stubborn: standIn('stubborn'),
};
