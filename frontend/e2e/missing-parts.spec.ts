import { type Page } from '@playwright/test';
import { befriend, expect, test, type Person } from './support/test.ts';

// Dialogs and the private chat are parts of the page whose scripts are loaded on demand.

// The page and the browser log each script that failed to load.
test.use({
  expectedErrors: [/status of 404|ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to fetch|PartNotLoadedError/],
});

/** Disables the preloading of scripts, which the page does in idle callbacks: the browser never calls these. */
const disablePreloading = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
};

/**
 * Makes two kinds of requests of a page fail: those for scripts, and those for /, with which the page checks whether a
 * newer version is deployed.
 */
class InterceptedRequests {
  private areFailing = false;

  static async intercept({ page }: Person): Promise<InterceptedRequests> {
    const requests = new InterceptedRequests();
    await page.route('**/assets/*.js', (route) => (requests.areFailing ? route.abort() : route.continue()));
    await page.route(
      (url) => url.pathname === '/',
      (route) => (requests.areFailing ? route.abort() : route.continue()),
    );
    return requests;
  }

  startFailing(): void {
    this.areFailing = true;
  }

  stopFailing(): void {
    this.areFailing = false;
  }
}

test('a dialog or private chat whose script cannot be loaded offers a retry, which opens it without reloading the page', async ({
  pair,
}) => {
  const [ada, bob] = await pair({ prepare: disablePreloading });
  await befriend(ada, bob);
  const requests = await InterceptedRequests.intercept(ada);
  const { page } = ada;
  // `timeOrigin` would change with a reload.
  const timeOrigin = await page.evaluate(() => performance.timeOrigin);

  const dialogs = [
    { opener: ada.button('Chat History'), name: 'Chat History' },
    { opener: page.getByRole('button', { name: /^Friend Requests/ }), name: 'Friend Requests' },
    { opener: page.getByRole('button', { name: /^Profile Settings: / }), name: 'Profile Settings' },
  ];
  for (const { opener, name } of dialogs) {
    requests.startFailing();
    await opener.click();
    const retry = ada.button('Try again');
    await expect(retry).toBeVisible();
    // The first retry fails too.
    await retry.click();
    await expect(retry).toBeVisible();
    requests.stopFailing();
    await retry.click();
    await expect(page.getByRole('dialog', { name })).toBeVisible();
    await expect(retry).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }

  requests.startFailing();
  await page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('button', { name: 'Send Message' })
    .click();
  await expect(ada.button('Try again')).toBeVisible();
  requests.stopFailing();
  await ada.button('Try again').click();
  await expect(page.getByRole('region', { name: `Private chat with ${bob.name}` })).toBeVisible();

  expect(await page.evaluate(() => performance.timeOrigin), 'the same document').toBe(timeOrigin);
});

test('a page whose realtime code and dialogs failed to load offers to retry both', async ({ newcomer }) => {
  const ada = await newcomer({ gender: 'female' });
  // The first page may have loaded the scripts already. A new page has to request them.
  const context = ada.page.context();
  await ada.page.close();
  const page = await context.newPage();
  let isMissing = true;
  // The pattern omits the script `profile-settings`, because only `profile-dialogs` loads it.
  await page.route(/\/assets\/(realtime|profile-dialogs)-[^/]*\.js$/, (route) =>
    isMissing ? route.abort() : route.continue(),
  );
  await page.goto('/chat');
  await page.getByRole('button', { name: /^Profile Settings: / }).click();
  const retry = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
  // The first retry fails too.
  await retry.click();
  await expect(retry).toBeVisible();
  isMissing = false;
  await retry.click();
  await expect(page.getByRole('dialog', { name: 'Profile Settings' }).getByRole('tablist')).toBeVisible();
  await page.keyboard.press('Escape');
  // Without the realtime code, the page shows the same button as after a lost connection.
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
});

test('the page reloads itself when a script is missing because a newer version was deployed', async ({
  newcomer,
}) => {
  const ada = await newcomer({ prepare: disablePreloading });
  const { page } = ada;
  await page.route('**/assets/chat-history-modal-*.js', (route) => route.fulfill({ status: 404 }));
  // The page requests / to find out whether its own entry script is still that of the deployed version.
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

test('dialogs open without requests for scripts after the idle page has preloaded them', async ({
  newcomer,
}) => {
  const ada = await newcomer();
  const { page } = ada;
  await page.waitForFunction(() =>
    ['profile-settings', 'chat-history-modal', 'friend-requests-modal', 'private-chat', 'toaster'].every(
      (script) => performance.getEntriesByType('resource').some(({ name }) => name.includes(`/${script}-`)),
    ),
  );
  await page.route('**/assets/*.js', (route) => route.abort());
  await ada.button('Chat History').click();
  await expect(page.getByRole('dialog', { name: 'Chat History' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Profile Settings: / }).click();
  await expect(page.getByRole('dialog', { name: 'Profile Settings' }).getByRole('tablist')).toBeVisible();
});
