import { spawn } from 'node:child_process';
import { once } from 'node:events';
import lighthouse, { type Flags, type Result } from 'lighthouse';
import { findFreePort } from './support/free-port.ts';
import { expect, test } from './support/test.ts';

// Runs Lighthouse on the landing page. Checks its scores, its layout shift, and the number and total size of its
// requests. `lcp` is the largest contentful paint, `cls` the cumulative layout shift.
const minPerformance = 0.95;
const limits = { lcpMs: 2_000, cls: 0.02, requests: 28, bytes: 190_000 };
/** Timings vary between runs, so it is enough that one of this many runs meets the limits for timings. */
const maxTimedRuns = 3;
const browserStartMs = 30_000;

/**
 * Whether timings are checked. They are meaningful only on an idle machine, so only `npm run lighthouse` checks them.
 * Other runs check only values that do not depend on the machine.
 */
const checksTimings = process.env.THAW_LIGHTHOUSE === 'times';

/** @returns a score from 0 to 1 */
const readScore = ({ categories }: Result, category: string): number => categories[category]?.score ?? 0;
const readValue = ({ audits }: Result, audit: string): number => audits[audit]?.numericValue ?? Infinity;

/** Leaves out the category `performance`, which measures timings. */
const flagsWithoutTimings: Flags = {
  onlyCategories: ['accessibility', 'best-practices', 'seo'],
  onlyAudits: ['cumulative-layout-shift', 'network-requests'],
  disableFullPageScreenshot: true,
};

interface PageRequest {
  transferSize: number;
  url: string;
  statusCode: number;
}

const readRequests = ({ audits }: Result): PageRequest[] =>
  (audits['network-requests']?.details as unknown as { items: PageRequest[] }).items;

const isFast = (run: Result): boolean =>
  readScore(run, 'performance') >= minPerformance &&
  readValue(run, 'largest-contentful-paint') <= limits.lcpMs;

/** Checks everything except timings. */
const expectGoodResult = (run: Result): void => {
  for (const category of ['accessibility', 'best-practices', 'seo']) {
    const failedAudits = (run.categories[category]?.auditRefs ?? [])
      .filter(
        ({ id, weight }) => weight > 0 && ((run.audits[id]?.score ?? 1) < 1 || run.audits[id]?.errorMessage),
      )
      .map(({ id }) => [id, run.audits[id]?.errorMessage]);
    expect(failedAudits, category).toEqual([]);
    expect(readScore(run, category), category).toBe(1);
  }
  expect(readValue(run, 'cumulative-layout-shift')).toBeLessThanOrEqual(limits.cls);
  const requests = readRequests(run);
  expect(requests.filter(({ statusCode }) => statusCode >= 400)).toEqual([]);
  expect(requests.length).toBeLessThanOrEqual(limits.requests);
  expect(requests.reduce((sum, { transferSize }) => sum + transferSize, 0)).toBeLessThanOrEqual(limits.bytes);
};

const summarizeTimings = (run: Result): string[] => [
  `performance ${Math.round(readScore(run, 'performance') * 100)}`,
  ...['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time'].map(
    (audit) => `${audit} ${Math.round(readValue(run, audit))} ms`,
  ),
];

const summarize = (run: Result): string =>
  [
    ...(checksTimings ? summarizeTimings(run) : []),
    `layout shift ${readValue(run, 'cumulative-layout-shift')}`,
    `${readRequests(run).length} requests`,
    `${readRequests(run).reduce((sum, { transferSize }) => sum + transferSize, 0)} bytes`,
    `benchmark index of the machine ${run.environment.benchmarkIndex}`,
  ].join(', ');

/**
 * Starts a browser for Lighthouse, which cannot share the browser of the tests.
 * @param run  called with the debugging port of the browser; when it has ended, the browser is stopped
 */
const withBrowser = async (
  program: string,
  args: readonly string[],
  run: (port: number) => Promise<void>,
): Promise<void> => {
  const port = await findFreePort();
  const profile = test.info().outputPath('profile');
  const browser = spawn(
    program,
    [...args, `--user-data-dir=${profile}`, `--remote-debugging-port=${port}`, 'about:blank'],
    // In its own process group, because Debian's wrapper script does not pass signals on to the browser.
    { stdio: 'ignore', detached: true },
  );
  const exit = once(browser, 'exit');
  try {
    await expect(async () => {
      expect((await fetch(`http://127.0.0.1:${port}/json/version`)).ok).toBe(true);
    }).toPass({ timeout: browserStartMs });
    await run(port);
  } finally {
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGTERM');
    await exit;
  }
};

test('on an emulated phone the landing page has full scores except for performance, and its values are within the limits', async ({
  baseURL,
  launchOptions,
}) => {
  test.slow();
  await withBrowser(launchOptions.executablePath ?? '', launchOptions.args ?? [], async (port) => {
    const runs: Result[] = [];
    // Each run must meet the other limits; the loop ends at the first run that also meets those for timings.
    while (runs.length < (checksTimings ? maxTimedRuns : 1) && !runs.some(isFast)) {
      const result = await lighthouse(`${baseURL}/`, {
        port,
        output: 'json',
        logLevel: 'silent',
        ...(checksTimings ? {} : flagsWithoutTimings),
      });
      const run = result?.lhr;
      expect(run?.runtimeError).toBeUndefined();
      if (!run) throw new Error('Lighthouse returned no result');
      runs.push(run);
      console.log(summarize(run));
      expectGoodResult(run);
    }
    if (checksTimings) expect(runs.some(isFast), runs.map(summarize).join('\n')).toBe(true);
  });
});
