import { spawn } from 'node:child_process';
import { once } from 'node:events';
import lighthouse, { type Flags, type Result } from 'lighthouse';
import { findFreePort } from './support/free-port.ts';
import { expect, test } from './support/test.ts';

// Runs Lighthouse on the landing page. Checks the scores, the layout shift, and the number and size of the requests.

/** Timings are meaningful only on an idle machine, so only `npm run lighthouse` checks them. */
const checksTimings = process.env.THAW_LIGHTHOUSE === 'times';

/** The categories of Lighthouse that do not depend on timings. */
const categoriesWithoutTimings = ['accessibility', 'best-practices', 'seo'];
const limits = { layoutShift: 0.02, requests: 28, bytes: 190_000 };

const timingLimits = { minPerformanceScore: 0.95, largestContentfulPaintMs: 2_000 };
/** Timings vary between runs, so it is enough that one of these runs meets their limits. */
const maxTimedRuns = 3;

const browserStartTimeoutMs = 30_000;

/** @returns a score from 0 to 1 */
const readScore = ({ categories }: Result, category: string): number => categories[category]?.score ?? 0;
const readValue = ({ audits }: Result, audit: string): number => audits[audit]?.numericValue ?? Infinity;

interface PageRequest {
  transferSize: number;
  url: string;
  statusCode: number;
}

const readRequests = ({ audits }: Result): PageRequest[] =>
  (audits['network-requests']?.details as unknown as { items: PageRequest[] }).items;
const sumBytes = (requests: readonly PageRequest[]): number =>
  requests.reduce((sum, { transferSize }) => sum + transferSize, 0);

const isFast = (run: Result): boolean =>
  readScore(run, 'performance') >= timingLimits.minPerformanceScore &&
  readValue(run, 'largest-contentful-paint') <= timingLimits.largestContentfulPaintMs;

/** The audits that lower the score of a category. An audit without a score does not apply to the page. */
const findFailedAudits = ({ audits, categories }: Result, category: string) =>
  (categories[category]?.auditRefs ?? [])
    .filter(({ weight }) => weight > 0)
    .map(({ id }) => ({ id, score: audits[id]?.score ?? 1, errorMessage: audits[id]?.errorMessage }))
    .filter(({ score, errorMessage }) => score < 1 || errorMessage);

/** Checks everything except timings. */
const expectGoodResult = (run: Result): void => {
  for (const category of categoriesWithoutTimings) {
    expect(findFailedAudits(run, category), category).toEqual([]);
    expect(readScore(run, category), category).toBe(1);
  }
  expect(readValue(run, 'cumulative-layout-shift')).toBeLessThanOrEqual(limits.layoutShift);
  const requests = readRequests(run);
  expect(requests.filter(({ statusCode }) => statusCode >= 400)).toEqual([]);
  expect(requests.length).toBeLessThanOrEqual(limits.requests);
  expect(sumBytes(requests)).toBeLessThanOrEqual(limits.bytes);
};

const summarizeTimings = (run: Result): string[] => [
  `performance ${Math.round(readScore(run, 'performance') * 100)}`,
  ...['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time'].map(
    (audit) => `${audit} ${Math.round(readValue(run, audit))} ms`,
  ),
];

const summarize = (run: Result): string => {
  const requests = readRequests(run);
  return [
    ...(checksTimings ? summarizeTimings(run) : []),
    `layout shift ${readValue(run, 'cumulative-layout-shift')}`,
    `${requests.length} requests`,
    `${sumBytes(requests)} bytes`,
    `benchmark index of the machine ${run.environment.benchmarkIndex}`,
  ].join(', ');
};

/** Runs Lighthouse in the browser with this debugging port, and logs a summary. */
const runLighthouse = async (url: string, port: number, flags: Flags = {}): Promise<Result> => {
  const result = await lighthouse(url, { port, output: 'json', logLevel: 'silent', ...flags });
  if (!result) throw new Error('Lighthouse returned no result');
  const run = result.lhr;
  expect(run.runtimeError).toBeUndefined();
  console.log(summarize(run));
  return run;
};

const runWithoutTimings = (url: string, port: number): Promise<Result> =>
  runLighthouse(url, port, {
    onlyCategories: categoriesWithoutTimings,
    onlyAudits: ['cumulative-layout-shift', 'network-requests'],
    disableFullPageScreenshot: true,
  });

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
    // `detached` starts a process group, which can be signalled as a whole: Debian's wrapper script does not pass
    // signals on to the browser.
    { stdio: 'ignore', detached: true },
  );
  const exit = once(browser, 'exit');
  try {
    await expect(async () => {
      expect((await fetch(`http://127.0.0.1:${port}/json/version`)).ok).toBe(true);
    }).toPass({ timeout: browserStartTimeoutMs });
    await run(port);
  } finally {
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGTERM'); // a negative pid is that of a group
    await exit;
  }
};

test('on an emulated phone the landing page has full scores except for performance, and its values are within the limits', async ({
  baseURL,
  launchOptions,
}) => {
  test.slow();
  await withBrowser(launchOptions.executablePath ?? '', launchOptions.args ?? [], async (port) => {
    const url = `${baseURL}/`;
    if (!checksTimings) return expectGoodResult(await runWithoutTimings(url, port));
    const runs: Result[] = [];
    while (runs.length < maxTimedRuns && !runs.some(isFast)) {
      const run = await runLighthouse(url, port);
      expectGoodResult(run);
      runs.push(run);
    }
    expect(runs.some(isFast), runs.map(summarize).join('\n')).toBe(true);
  });
});
