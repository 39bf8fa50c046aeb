import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, signInByHttp, test } from './support/test.ts';

/** The size limits of the build: a larger size than `gateKb` fails. */
const budgets = JSON.parse(readFileSync(new URL('../budgets.json', import.meta.url), 'utf8')) as {
  javascript: Record<string, { gateKb: number }>;
};
/** Largest allowed depth of a request: the document has depth 0, its scripts 1, and the scripts that they load 2. */
const maxDepth = 2;

test('/chat is usable before the server has confirmed the user, after at most two rounds of script requests', async ({
  openContext,
}) => {
  const context = await openContext();
  const user = await signInByHttp(context);
  const page = await context.newPage();
  let respond = (): void => undefined;
  const canRespond = new Promise<void>((resolve) => (respond = resolve));
  await page.route(`**/api/user/${user.id}`, async (route) => {
    await canRespond;
    await route.continue();
  });
  const depths = new Map<string, number>();
  const devtools = await context.newCDPSession(page);
  devtools.on('Network.requestWillBeSent', ({ request, initiator }) => {
    if (!/\.js$/.test(request.url)) return;
    // The initiator is the document or, for a dynamic import, a stack that may contain several scripts.
    const initiatorUrls = [initiator.url, ...(initiator.stack?.callFrames.map(({ url }) => url) ?? [])];
    const initiatorDepths = initiatorUrls.map((url) => depths.get(url ?? '') ?? 0);
    depths.set(request.url, 1 + Math.max(0, ...initiatorDepths));
  });
  await devtools.send('Network.enable');

  const userRequest = page.waitForRequest(`**/api/user/${user.id}`);
  await page.goto('/chat');
  await expect(page.getByRole('button', { name: 'Find Conversation' })).toBeVisible();
  await expect(page.getByRole('button', { name: `Profile Settings: ${user.username}` })).toBeVisible();
  const depthsUntilUsable = [...depths.values()];
  await userRequest;
  respond();
  expect(depthsUntilUsable.length).toBeGreaterThan(0);
  expect(Math.max(...depthsUntilUsable)).toBeLessThanOrEqual(maxDepth);
});

test('the scripts of a chat with its first messages stay within their size budget', async ({ pair }) => {
  /** Gzipped size of each loaded script in bytes, by address. */
  const scriptSizes = new Map<string, Promise<number>>();
  const [ada, bob] = await pair({
    prepare: async (page) => {
      // Keeps the page from preloading scripts while it is idle: a chat does not need them, so they do not count.
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
  let deliverScripts = (): void => undefined;
  const scriptsAreDelivered = new Promise<void>((resolve) => (deliverScripts = resolve));
  await page.route('**/assets/*.js', async (route) => {
    await scriptsAreDelivered;
    await route.continue();
  });
  await page.goto('/', { waitUntil: 'commit' });
  const joinButton = page.getByRole('button', { name: 'Join Anonymously' }).first();
  await joinButton.click();
  // Before hydration only CSS can replace the label.
  await expect
    .poll(() => joinButton.evaluate((button) => getComputedStyle(button, '::before').content))
    .toBe('"Starting..."');
  deliverScripts();
  // The chat asks a new user for their gender.
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page).toHaveURL('/chat');
});
