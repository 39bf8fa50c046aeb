// Takes the screenshots in docs/pictures on a running product, with two users who chat with each other.
// Usage: node scripts/readme-pictures.mjs http://localhost:8080
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const address = process.argv[2];
if (!address)
  throw new Error('Pass the address of the product: node scripts/readme-pictures.mjs http://localhost:8080');
const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../../docs/pictures');
/** Largest allowed size of a picture, which keeps README.md quick to load. */
const maxBytes = 250_000;
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});

const desktopView = { viewport: { width: 1280, height: 800 } };
const phoneView = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, hasTouch: true };

const takePicture = async (page, name) => {
  await page.evaluate('document.fonts.ready');
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${name}.png ${Math.round(size / 1000)} kB`);
  if (size > maxBytes) throw new Error(`${name}.png is larger than ${maxBytes} bytes`);
};

/** Sets these items of the local storage before each page of the context loads. */
const setLocalStorage = (context, items) =>
  // Playwright also runs an init script in blank documents, which have no storage.
  context.addInitScript(
    `if (location.protocol.startsWith('http'))
      for (const [key, value] of Object.entries(${JSON.stringify(items)})) localStorage.setItem(key, value);`,
  );

/** Creates an anonymous user through the API and opens /chat as this user. `call` sends API requests as this user. */
const openUser = async ({ username, gender, theme = 'dark', view }) => {
  const context = await browser.newContext({ baseURL: address, locale: 'en-GB', ...view });
  const call = async (method, url, data) => {
    const response = await context.request.fetch(url, { method, data });
    if (!response.ok()) throw new Error(`${method} ${url}: ${response.status()}`);
    return response.json();
  };
  const { user: anonymousUser } = await call('POST', '/api/anonymous', {});
  const { id } = anonymousUser;
  await call('PATCH', `/api/user/${id}`, { gender });
  const { user } = await call('PUT', `/api/user/${id}`, { username, avatar: null });
  await setLocalStorage(context, {
    'thaw-chat-auth': JSON.stringify({ state: { user }, version: 0 }), // in the format of zustand's `persist`
    'thaw-theme': theme,
  });
  const page = await context.newPage();
  await page.goto('/chat');
  await page.getByText('Connected', { exact: true }).waitFor();
  return { page, call, id };
};

const pressButton = (user, name) => user.page.getByRole('button', { name, exact: true }).click();
const match = async (first, second) => {
  await pressButton(first, 'Find Conversation');
  await pressButton(second, 'Find Conversation');
  for (const { page } of [first, second]) await page.getByRole('textbox', { name: 'Message' }).waitFor();
};
const skip = async (user) => {
  await pressButton(user, 'Skip Chat');
  await pressButton(user, 'Confirm');
  // Ends the search that a skip starts.
  await pressButton(user, 'Cancel');
};
const sendMessage = async (sender, receiver, text) => {
  const field = sender.page.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
  await receiver.page.getByRole('region', { name: 'Messages' }).getByText(text).first().waitFor();
};
const befriend = async (requester, addressee) => {
  const request = await requester.call('POST', '/api/friends/request', {
    requesterId: requester.id,
    addresseeId: addressee.id,
  });
  await addressee.call('PUT', `/api/friends/request/${request.id}`, { status: 'accepted' });
};
/** Infinite animations never finish, so they are left out. */
const waitForAnimations = (page) =>
  page.evaluate(
    `Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect.getComputedTiming().iterations !== Infinity)
        .map((animation) => animation.finished.catch(() => undefined)),
    )`,
  );

const takeLandingPicture = async () => {
  const context = await browser.newContext({ baseURL: address, ...desktopView });
  await setLocalStorage(context, { 'thaw-theme': 'light' });
  const page = await context.newPage();
  await page.goto('/');
  await takePicture(page, 'landing');
};

/** Takes a picture of the same chat on a desktop (Inês) and on a phone (Tomasz). */
const takeChatPictures = async (ines, tomasz) => {
  await sendMessage(ines, tomasz, 'Quick: the best thing you ate this week?');
  await sendMessage(tomasz, ines, 'Cold pizza, standing, in front of the fridge');
  await sendMessage(tomasz, ines, 'At 2 am. No regrets');
  await sendMessage(ines, tomasz, 'A person of taste');
  await sendMessage(ines, tomasz, 'I had soup so bad that I named it');
  await sendMessage(tomasz, ines, 'You named it?');
  await sendMessage(ines, tomasz, 'Gerald. We don’t talk about Gerald');
  await sendMessage(tomasz, ines, '😂');
  await waitForAnimations(ines.page);
  await takePicture(ines.page, 'chat');
  await waitForAnimations(tomasz.page);
  await takePicture(tomasz.page, 'phone');
};

const takeIcebreakerPicture = async (ines, tomasz) => {
  await pressButton(ines, 'Break the Ice');
  // Both choose the third answer: the ice cubes appear only for equal answers.
  for (const { page } of [ines, tomasz]) {
    const option = page
      .getByRole('region', { name: /^Break the Ice: / })
      .getByRole('radio')
      .nth(2);
    await option.click();
  }
  await ines.page.getByText('The ice is broken!').first().waitFor();
  await ines.page.getByRole('img', { name: 'Ice cubes' }).locator('canvas').waitFor({ state: 'attached' });
  // After 900 ms the cubes have fallen half-way down.
  await new Promise((resume) => setTimeout(resume, 900));
  await takePicture(ines.page, 'break-the-ice');
};

try {
  await takeLandingPicture();

  const ines = await openUser({ username: 'Inês', gender: 'female', view: desktopView });
  // Gives Inês a friend, so that the friends list in the pictures is not empty.
  const callum = await openUser({ username: 'Callum', gender: 'male', view: phoneView });
  await match(ines, callum);
  await befriend(ines, callum);
  await skip(ines);

  const tomasz = await openUser({ username: 'Tomasz', gender: 'male', theme: 'light', view: phoneView });
  await match(ines, tomasz);
  await takeChatPictures(ines, tomasz);
  await takeIcebreakerPicture(ines, tomasz);
} finally {
  await browser.close();
}
