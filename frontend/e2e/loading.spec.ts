import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Page } from '@playwright/test';
import { expect, signInByHttp, test } from './support/test.ts';

/** The size limits of the build: a larger size than `gateKb` fails. */
const budgets = JSON.parse(readFileSync(new URL('../budgets.json', import.meta.url), 'utf8')) as {
  javascript: Record<string, { gateKb: number }>;
};

/** Holds all requests of a page to matching URLs. @returns a function that lets them pass */
const holdRequests = async (page: Page, urlPattern: string): Promise<() => void> => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(urlPattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
};

/**
 * Records in which round of requests a page loads each script: a script of the document in round 1, any other one round
 * after the script that loads it.
 * @returns the rounds, by the URL of the script
 */
const recordScriptRounds = async (page: Page): Promise<ReadonlyMap<string, number>> => {
  const rounds = new Map<string, number>();
  const devtools = await page.context().newCDPSession(page);
  devtools.on('Network.requestWillBeSent', ({ request, initiator }) => {
    if (!/\.js$/.test(request.url)) return;
    // The initiator is the document or, for a dynamic import, a stack that may contain several scripts.
    const initiatorUrls = [initiator.url ?? '', ...(initiator.stack?.callFrames.map(({ url }) => url) ?? [])];
    const initiatorRounds = initiatorUrls.map((url) => rounds.get(url) ?? 0); // 0 for the document
    rounds.set(request.url, 1 + Math.max(...initiatorRounds));
  });
  await devtools.send('Network.enable');
  return rounds;
};

test('/chat is usable before the server has confirmed the user, after at most two rounds of script requests', async ({
  openContext,
}) => {
  const context = await openContext();
  const user = await signInByHttp(context);
  const page = await context.newPage();
  const userUrl = `**/api/user/${user.id}`;
  const releaseUserRequest = await holdRequests(page, userUrl);
  const scriptRounds = await recordScriptRounds(page);
  const userRequest = page.waitForRequest(userUrl);
  await page.goto('/chat');
  await expect(page.getByRole('button', { name: 'Find Conversation' })).toBeVisible();
  await expect(page.getByRole('button', { name: `Profile Settings: ${user.username}` })).toBeVisible();
  const roundsUntilUsable = [...scriptRounds.values()];
  await userRequest;
  releaseUserRequest();
  expect(roundsUntilUsable.length).toBeGreaterThan(0);
  expect(Math.max(...roundsUntilUsable)).toBeLessThanOrEqual(2);
});

test('the scripts of a chat with its first messages stay within their size budget', async ({ pair }) => {
  /** Gzipped size of each loaded script in bytes, by address. */
  const scriptSizes = new Map<string, Promise<number>>();
  const [ada, bob] = await pair({
    prepare: async (page) => {
      // Prevents the page from preloading scripts while it is idle. A chat does not need them, so they do not count.
      await page.addInitScript(() => Object.assign(window, { requestIdleCallback: () => 0 }));
      page.on('response', (response) => {
        if (!/\/assets\/.*\.js$/.test(response.url())) return;
        const size = response.body().then((body) => gzipSync(body, { level: 9 }).length);
        scriptSizes.set(response.url(), size);
      });
    },
  });
  await ada.sendMessage('anybody here?');
  await expect(bob.message('anybody here?')).toBeVisible();
  await bob.sendMessage('all of me');
  await expect(ada.message('all of me')).toBeVisible();
  const totalBytes = (await Promise.all(scriptSizes.values())).reduce((sum, size) => sum + size, 0);
  expect(totalBytes).toBeGreaterThan(0);
  expect(totalBytes / 1_000).toBeLessThanOrEqual(budgets.javascript['in a chat']?.gateKb ?? 0);
});

test('a click on Join Anonymously before hydration shows that it is pending, then opens the chat', async ({
  openContext,
}) => {
  const page = await (await openContext()).newPage();
  const releaseScripts = await holdRequests(page, '**/assets/*.js');
  await page.goto('/', { waitUntil: 'commit' });
  const joinButton = page.getByRole('button', { name: 'Join Anonymously' }).first();
  await joinButton.click();
  // Before hydration only CSS can replace the label.
  await expect
    .poll(() => joinButton.evaluate((button) => getComputedStyle(button, '::before').content))
    .toBe('"Starting..."');
  releaseScripts();
  // The chat asks a new user for their gender.
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page).toHaveURL('/chat');
});
