import { type BrowserContext, type Page } from '@playwright/test';
import { expect, signInByHttp, test } from '../e2e/support/test.ts';

// Timings are only meaningful on an idle machine, so `npm run test:long` runs no other test at the same time.

const runCount = 5;
const kilobyte = 1_000;

interface Line {
  latencyMs: number;
  bytesPerSecond: number;
}
const mobile: Line = { latencyMs: 150, bytesPerSecond: 200 * kilobyte };
const poor: Line = { latencyMs: 400, bytesPerSecond: 50 * kilobyte };

/** Opens a page of a signed-in user over a slow connection, with an empty cache. */
const openPageOver = async (line: Line, openContext: () => Promise<BrowserContext>): Promise<Page> => {
  const context = await openContext();
  await signInByHttp(context);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: line.latencyMs,
    downloadThroughput: line.bytesPerSecond,
    uploadThroughput: line.bytesPerSecond,
  });
  return page;
};

const readFirstContentfulPaint = (page: Page): Promise<number> =>
  page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity);

/**
 * Milliseconds from the navigation until the start screen is painted and a press of the profile button has opened its
 * dialog. Uses `waitForFunction`, which checks in every frame. Assertions check too rarely, up to a second apart.
 */
const measureMsUntilUsable = async (page: Page): Promise<number> => {
  await page.waitForFunction(() => {
    const buttons = [...document.querySelectorAll('button')];
    const isStartScreenShown = buttons.some(({ textContent }) => textContent === 'Find Conversation');
    const profile = buttons.find(({ textContent }) => textContent.includes('Profile Settings:'));
    if (isStartScreenShown) profile?.click();
    return isStartScreenShown && profile !== undefined;
  });
  // The time is truthy, so it ends the wait and is its result.
  const usable = await page.waitForFunction(
    () =>
      document.querySelector('[role=dialog]')?.textContent.includes('Profile Settings') && performance.now(),
  );
  return (await usable.jsonValue()) || Infinity;
};

const computeMedian = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity;

const summarize = (name: string, values: readonly number[]): string =>
  `${name}: median ${Math.round(computeMedian(values))} ms of ${values.map(Math.round).join(', ')}`;

test('at a latency of 150 ms and 200 kB/s /chat is painted within 1.3 s and usable within 2 s', async ({
  openContext,
}) => {
  const painted: number[] = [];
  const usable: number[] = [];
  for (let run = 0; run < runCount; run += 1) {
    const page = await openPageOver(mobile, openContext);
    await page.goto('/chat', { waitUntil: 'commit' });
    usable.push(await measureMsUntilUsable(page));
    painted.push(await readFirstContentfulPaint(page));
    await page.close();
  }
  console.log(summarize('first contentful paint', painted));
  console.log(summarize('usable', usable));
  expect(computeMedian(painted)).toBeLessThanOrEqual(1_300);
  expect(computeMedian(usable)).toBeLessThanOrEqual(2_000);
});

test('at a latency of 400 ms and 50 kB/s the shell of /chat is painted within 2.5 s', async ({
  openContext,
}) => {
  const painted: number[] = [];
  for (let run = 0; run < runCount; run += 1) {
    const page = await openPageOver(poor, openContext);
    await page.goto('/chat', { waitUntil: 'commit' });
    // The document contains the shell (the frame of the page); the application loads later.
    await expect(page.getByText('Opening your chat…')).toBeVisible();
    await expect.poll(() => readFirstContentfulPaint(page)).toBeLessThan(Infinity);
    painted.push(await readFirstContentfulPaint(page));
    await page.close();
  }
  console.log(summarize('first contentful paint', painted));
  expect(computeMedian(painted)).toBeLessThanOrEqual(2_500);
});
