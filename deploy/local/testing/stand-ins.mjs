import process from 'node:process';
import { fileURLToPath } from 'node:url';

const standIn = (role) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('stand-in.mjs', import.meta.url)), role],
});

/** Replacements of `thawPrograms`. `broken` prints an error and exits at once; `stubborn` ignores SIGTERM. */
export const standIns = {
  migrate: standIn('migrate'),
  api: standIn('api'),
  worker: standIn('worker'),
  broken: standIn('broken'),
  stubborn: standIn('stubborn'),
};
