import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, signInByHttp, test } from './support/test.ts';

const budgets = JSON.parse(readFileSync(new URL('../budgets.json', import.meta.url), 'utf8')) as {
  javascript: Record<string, { gateKb: number }>;
};
/** Largest allowed depth of a request chain: the document is 0, what it references is 1, what that requests is 2. */
const maxDepth = 2;

test('the page is usable before the server has confirmed the user, after at most two requests in a row', async ({
  open,
}) => {
  const context = await open();
  const user = await signInByHttp(context);
  const page = await context.newPage();
  let respond = (): void => undefined;
  const isAnswered = new Promise<void>((resolve) => (respond = resolve));
  await page.route(`**/api/user/${user.id}`, async (route) => {
    await isAnswered;
    await route.continue();
  });
  const depths = new Map<string, number>();
  const session = await context.newCDPSession(page);
  session.on('Network.requestWillBeSent', ({ request, initiator, documentURL }) => {
    if (!/\.js$/.test(request.url)) return;
    // A dynamic import is initiated by a script; the stack may contain several.
    const frames = [initiator.url, ...(initiator.stack?.callFrames.map(({ url }) => url) ?? [])];
    const from = frames.map((url) => depths.get(url ?? '') ?? 0);
    if (request.url !== documentURL) depths.set(request.url, 1 + Math.max(0, ...from));
  });
  await session.send('Network.enable');

  const asked = page.waitForRequest(`**/api/user/${user.id}`);
  await page.goto('/chat');
  await expect(page.getByRole('button', { name: 'Find Conversation' })).toBeVisible();
  await expect(page.getByRole('button', { name: `Profile Settings: ${user.username}` })).toBeVisible();
  const untilPainted = [...depths.values()];
  await asked;
  respond();
  expect(untilPainted.length).toBeGreaterThan(0);
  expect(Math.max(...untilPainted)).toBeLessThanOrEqual(maxDepth);
});

test('a chat with its first messages stays within its budget of scripts', async ({ pair }) => {
  const scripts = new Map<string, Promise<number>>();
  const [ada, bob] = await pair({
    prepare: async (page) => {
      // Preloads that run while the page is idle are not needed for a chat.
      await page.addInitScript(() => Object.assign(window, { requestIdleCallback: () => 0 }));
      page.on('response', (response) => {
        if (!/\/assets\/.*\.js$/.test(response.url())) return;
        const size = response.body().then((body) => gzipSync(body, { level: 9 }).length);
        scripts.set(response.url(), size);
      });
    },
  });
  await ada.sendMessage('anybody here?');
  await expect(bob.message('anybody here?')).toBeVisible();
  await bob.sendMessage('all of me');
  await expect(ada.message('all of me')).toBeVisible();
  const bytes = (await Promise.all(scripts.values())).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes / 1_000).toBeLessThanOrEqual(budgets.javascript['in a chat']?.gateKb ?? 0);
});

test('Join Anonymously responds to a press before hydration, and opens the chat', async ({ open }) => {
  const page = await (await open()).newPage();
  let deliver = (): void => undefined;
  const isDelivered = new Promise<void>((resolve) => (deliver = resolve));
  await page.route('**/assets/*.js', async (route) => {
    await isDelivered;
    await route.continue();
  });
  await page.goto('/', { waitUntil: 'commit' });
  const join = page.getByRole('button', { name: 'Join Anonymously' }).first();
  await join.click();
  await expect
    .poll(() => join.evaluate((button) => getComputedStyle(button, '::before').content))
    .toBe('"Starting..."');
  deliver();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page).toHaveURL('/chat');
});
