import process from 'node:process';
import { runToEnd } from '../processes/run-to-end.mjs';
import { findProgram } from '../provide/find-program.mjs';

/** Programs in order of preference. With the headless shell, which draws no windows, tests take a fifth less time. */
const PROGRAM_NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const DEBIAN_PACKAGES = ['chromium-headless-shell', 'chromium'];
const INSTALL_LIMIT_MS = 5 * 60_000;

/** Returns the path of a Chromium: CHROMIUM_PATH or an installed one; undefined if there is none. */
export const findChromium = () =>
  process.env.CHROMIUM_PATH || findProgram(PROGRAM_NAMES, ['/usr/bin', '/snap/bin']);

/**
 * Installs Chromium from Debian packages, for CI machines.
 * @returns {Promise<string | undefined>} its path; undefined without root or apt, or if the installation failed
 */
export async function installChromium(logStep) {
  if (process.getuid?.() !== 0 || !findProgram(['apt-get'])) return undefined;
  logStep('Chromium', "installing it from Debian's packages");
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, limitMs: INSTALL_LIMIT_MS };
  await runToEnd('apt-get', ['update', '-q'], options);
  for (const name of DEBIAN_PACKAGES) {
    await runToEnd('apt-get', ['install', '-q', '-y', '--no-install-recommends', name], options);
    if (findChromium()) break;
  }
  return findChromium();
}
