import { type Page } from '@playwright/test';
import { expect, test } from './support/test.ts';

// Dialogs and the private chat are parts of the page whose scripts are loaded on demand.

// The page and the browser log each script that failed to load.
test.use({
  expectedErrors: [/status of 404|ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to fetch|PartNotLoadedError/],
});

/** Disables the preloading of scripts: the page does it in idle callbacks, and here no idle callback runs. */
const disablePreloading = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
};

const anyScript = '**/assets/*.js';
/** The URL that the page requests to find out whether a newer version is deployed. */
const isVersionCheck = (url: URL): boolean => url.pathname === '/';

interface InterceptedRequests {
  areFailing: boolean;
}

/** Makes the requests of a page for these URLs fail while `areFailing` of the returned object is true. */
const interceptRequests = async (
  page: Page,
  urls: readonly (string | RegExp | ((url: URL) => boolean))[],
): Promise<InterceptedRequests> => {
  const requests: InterceptedRequests = { areFailing: false };
  for (const url of urls)
    await page.route(url, (route) => (requests.areFailing ? route.abort() : route.continue()));
  return requests;
};

/** When the document was loaded. It changes with a reload. */
const readTimeOrigin = (page: Page): Promise<number> => page.evaluate(() => performance.timeOrigin);

test('a dialog whose script cannot be loaded offers a retry, which opens it without reloading the page', async ({
  newcomer,
}) => {
  const ada = await newcomer({ prepare: disablePreloading });
  const { page } = ada;
  const requests = await interceptRequests(page, [anyScript, isVersionCheck]);
  const timeOrigin = await readTimeOrigin(page);
  const dialogs = [
    { opener: ada.button('Chat History'), name: 'Chat History' },
    { opener: page.getByRole('button', { name: /^Friend Requests/ }), name: 'Friend Requests' },
    { opener: page.getByRole('button', { name: /^Profile Settings: / }), name: 'Profile Settings' },
  ];
  for (const { opener, name } of dialogs) {
    requests.areFailing = true;
    await opener.click();
    const retry = ada.button('Try again');
    await expect(retry).toBeVisible();
    // The first retry fails too.
    await retry.click();
    await expect(retry).toBeVisible();
    requests.areFailing = false;
    await retry.click();
    await expect(page.getByRole('dialog', { name })).toBeVisible();
    await expect(retry).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
  expect(await readTimeOrigin(page), 'the same document').toBe(timeOrigin);
});

test('a private chat whose script cannot be loaded offers a retry, which opens it without reloading the page', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat({ prepare: disablePreloading });
  const { page } = ada;
  const requests = await interceptRequests(page, [anyScript, isVersionCheck]);
  const timeOrigin = await readTimeOrigin(page);
  requests.areFailing = true;
  await page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('button', { name: 'Send Message' })
    .click();
  await expect(ada.button('Try again')).toBeVisible();
  requests.areFailing = false;
  await ada.button('Try again').click();
  await expect(page.getByRole('region', { name: `Private chat with ${bob.name}` })).toBeVisible();
  expect(await readTimeOrigin(page), 'the same document').toBe(timeOrigin);
});

test('a page whose realtime code and dialogs failed to load offers to retry both', async ({ newcomer }) => {
  const ada = await newcomer({ gender: 'female' });
  // The first page may have loaded the scripts already. A new page has to request them.
  const context = ada.page.context();
  await ada.page.close();
  const page = await context.newPage();
  // `profile-dialogs` is the script that loads `profile-settings`, so both are missing.
  const requests = await interceptRequests(page, [/\/assets\/(realtime|profile-dialogs)-[^/]*\.js$/]);
  requests.areFailing = true;
  await page.goto('/chat');
  await page.getByRole('button', { name: /^Profile Settings: / }).click();
  const retry = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
  // The first retry fails too.
  await retry.click();
  await expect(retry).toBeVisible();
  requests.areFailing = false;
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
  // A version is newer if its entry script has another name than that of the page.
  await page.route(isVersionCheck, (route) =>
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
