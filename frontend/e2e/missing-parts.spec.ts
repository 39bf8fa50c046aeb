import { type Page } from '@playwright/test';
import { befriend, expect, test, type Person } from './support/test.ts';

// The page logs each script that failed to load.
test.use({
  expectedErrors: [/status of 404|ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to fetch|PartNotLoadedError/],
});

/** Disables preloading: the browser never reports that it is idle. */
const preventIdle = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
};

/** The script requests of a page, which can be made to fail. */
class ScriptRequests {
  private areFailing = false;

  static async intercept({ page }: Person): Promise<ScriptRequests> {
    const scripts = new ScriptRequests();
    await page.route('**/assets/*.js', (route) => (scripts.areFailing ? route.abort() : route.continue()));
    await page.route(
      (url) => url.pathname === '/',
      (route) => (scripts.areFailing ? route.abort() : route.continue()),
    );
    return scripts;
  }

  startFailing(): void {
    this.areFailing = true;
  }

  stopFailing(): void {
    this.areFailing = false;
  }
}

test('offline, each dialog reports that it did not load, opens on a retry, and loses nothing', async ({
  pair,
}) => {
  const [ada, bob] = await pair({ prepare: preventIdle });
  await befriend(ada, bob);
  const scripts = await ScriptRequests.intercept(ada);
  const { page } = ada;
  const document = await page.evaluate(() => performance.timeOrigin);
  await ada.field.fill('half a sentence');

  const controls = [
    { press: ada.button('Chat History'), dialog: 'Chat History' },
    { press: page.getByRole('button', { name: /^Friend Requests/ }), dialog: 'Friend Requests' },
    { press: page.getByRole('button', { name: /^Profile Settings: / }), dialog: 'Profile Settings' },
  ];
  for (const { press, dialog } of controls) {
    scripts.startFailing();
    await press.click();
    const retry = ada.button('Try again');
    await expect(retry).toBeVisible();
    await retry.click();
    await expect(retry).toBeVisible();
    scripts.stopFailing();
    await retry.click();
    await expect(page.getByRole('dialog', { name: dialog })).toBeVisible();
    await expect(retry).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }

  scripts.startFailing();
  await page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('button', { name: 'Send Message' })
    .click();
  await expect(ada.button('Try again')).toBeVisible();
  scripts.stopFailing();
  await ada.button('Try again').click();
  await expect(page.getByRole('region', { name: `Private chat with ${bob.name}` })).toBeVisible();

  expect(await page.evaluate(() => performance.timeOrigin), 'the same document').toBe(document);
});

test('a page whose realtime code and dialogs failed to load offers to retry both', async ({ newcomer }) => {
  const known = await newcomer({ gender: 'female' });
  const context = known.page.context();
  await known.page.close();
  const page = await context.newPage();
  let isMissing = true;
  await page.route(/\/assets\/(realtime|profile-dialogs)-[^/]*\.js$/, (route) =>
    isMissing ? route.abort() : route.continue(),
  );
  await page.goto('/chat');
  await page.getByRole('button', { name: /^Profile Settings: / }).click();
  const retry = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
  await retry.click();
  await expect(retry).toBeVisible();
  isMissing = false;
  await retry.click();
  await expect(page.getByRole('dialog', { name: 'Profile Settings' }).getByRole('tablist')).toBeVisible();
  await page.keyboard.press('Escape');
  const reconnect = page.getByRole('button', { name: 'Reconnect' });
  await reconnect.click();
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
});

test('a newer version on the server is loaded when a part of this one is missing', async ({ newcomer }) => {
  const ada = await newcomer({ prepare: preventIdle });
  const { page } = ada;
  await page.route('**/assets/chat-history-modal-*.js', (route) => route.fulfill({ status: 404 }));
  await page.route(
    (url) => url.pathname === '/',
    (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/assets/index-new.js">' }),
  );
  const reloaded = page.waitForEvent('domcontentloaded');
  await ada.button('Chat History').click();
  await reloaded;
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
});

test('every dialog opens without the network once the page has been idle', async ({ newcomer }) => {
  const ada = await newcomer();
  const { page } = ada;
  await page.waitForFunction(() =>
    ['profile-settings', 'chat-history-modal', 'friend-requests-modal', 'private-chat', 'toaster'].every(
      (name) => performance.getEntriesByType('resource').some(({ name: url }) => url.includes(`/${name}-`)),
    ),
  );
  await page.route('**/assets/*.js', (route) => route.abort());
  await ada.button('Chat History').click();
  await expect(page.getByRole('dialog', { name: 'Chat History' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Profile Settings: / }).click();
  await expect(page.getByRole('dialog', { name: 'Profile Settings' }).getByRole('tablist')).toBeVisible();
});
