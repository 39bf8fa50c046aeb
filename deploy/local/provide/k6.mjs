import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureFolder } from '../paths.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { findProgram } from './find-program.mjs';

/** The release with which the scripts in deploy/k6 were tested. */
const VERSION = 'v1.8.1';
const BUILD_LIMIT_MS = 15 * 60_000;
const cacheFolder = path.join(os.homedir(), '.cache', 'thaw', `k6-${VERSION}`);

/**
 * Returns the path of k6: K6_PATH (unchecked), an installed k6, or the k6 that `provideK6` has built; undefined if none
 * exists.
 */
export const findK6 = () =>
  process.env.K6_PATH || findProgram(['k6'], [path.join(os.homedir(), 'go', 'bin'), cacheFolder]);

/**
 * Builds k6 into a cache outside the repository, unless k6 exists or Go is not installed. Does not report a failed
 * build, for example with a Go older than 1.25: `findK6` then returns undefined.
 */
export async function provideK6(logStep) {
  const go = findProgram(['go'], ['/usr/local/go/bin']);
  if (findK6() || !go) return;
  logStep('k6', `building ${VERSION}, which takes a few minutes`);
  await runToEnd(go, ['install', `go.k6.io/k6@${VERSION}`], {
    env: { ...process.env, GOBIN: ensureFolder(cacheFolder) },
    limitMs: BUILD_LIMIT_MS,
  });
}
