import process from 'node:process';
import { runToEnd } from '../processes/run-to-end.mjs';
import { findProgram } from '../provide/find-program.mjs';

/** First what has no windows to draw, which takes a fifth of the time away from the tests. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const PACKAGES = ['chromium-headless-shell', 'chromium'];
const INSTALL_LIMIT_MS = 5 * 60_000;

/** The path of a Chromium: CHROMIUM_PATH, or one of this machine. Undefined when there is none. */
export const findChromium = () => process.env.CHROMIUM_PATH || findProgram(NAMES, ['/usr/bin', '/snap/bin']);

/** Installs Chromium from Debian's packages where that is allowed: on a machine that is built for the tests. */
export async function installChromium(say) {
  if (process.getuid?.() !== 0 || !findProgram(['apt-get'])) return undefined;
  say('Chromium', "installing it from Debian's packages");
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, limitMs: INSTALL_LIMIT_MS };
  await runToEnd('apt-get', ['update', '-q'], options);
  for (const name of PACKAGES) {
    await runToEnd('apt-get', ['install', '-q', '-y', '--no-install-recommends', name], options);
    if (findChromium()) break;
  }
  return findChromium();
}
