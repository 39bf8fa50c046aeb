// Makes docs/pictures: screenshots of two strangers who meet on a running product.
// node scripts/readme-pictures.mjs http://localhost:8080
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const address = process.argv[2];
if (!address)
  throw new Error('Say where the product is: node scripts/readme-pictures.mjs http://localhost:8080');
const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../../docs/pictures');
const mostBytes = 250_000;
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});

const desk = { viewport: { width: 1280, height: 800 } };
const telephone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, hasTouch: true };

const takePicture = async (page, name) => {
  await page.evaluate('document.fonts.ready');
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${name}.png ${Math.round(size / 1000)} kB`);
  if (size > mostBytes) throw new Error(`${name}.png is larger than ${mostBytes} bytes`);
};

/** A visitor at /chat, signed in through the API instead of the forms. */
const openNewcomer = async (username, gender, { theme = 'dark', ...view }) => {
  const context = await browser.newContext({ baseURL: address, locale: 'en-GB', ...view });
  const call = async (method, url, data) => {
    const response = await context.request.fetch(url, { method, data });
    if (!response.ok()) throw new Error(`${method} ${url}: ${response.status()}`);
    return response.json();
  };
  const { user } = await call('POST', '/api/anonymous', {});
  await call('PATCH', `/api/user/${user.id}`, { gender });
  const named = await call('PUT', `/api/user/${user.id}`, { username, avatar: null });
  const stored = { state: { user: named.user ?? named }, version: 0 };
  await context.addInitScript(
    `if (location.protocol.startsWith('http')) {
      localStorage.setItem('thaw-chat-auth', ${JSON.stringify(JSON.stringify(stored))});
      localStorage.setItem('thaw-theme', '${theme}');
    }`,
  );
  const page = await context.newPage();
  await page.goto('/chat');
  await page.getByText('Connected', { exact: true }).waitFor();
  return { page, call, id: user.id };
};

const press = (person, name) => person.page.getByRole('button', { name, exact: true }).click();
const meet = async (one, other) => {
  await press(one, 'Find Conversation');
  await press(other, 'Find Conversation');
  for (const { page } of [one, other]) await page.getByRole('textbox', { name: 'Message' }).waitFor();
};
const say = async (person, other, text) => {
  const field = person.page.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
  await other.page.getByRole('region', { name: 'Messages' }).getByText(text).first().waitFor();
};
const befriend = async (one, other) => {
  const { id } = await one.call('POST', '/api/friends/request', {
    requesterId: one.id,
    addresseeId: other.id,
  });
  await other.call('PUT', `/api/friends/request/${id}`, { status: 'accepted' });
};
const waitUntilSettled = (page) =>
  page.evaluate(
    'Promise.all(document.getAnimations().filter((a) => a.effect.getComputedTiming().iterations !== Infinity).map((a) => a.finished.catch(() => undefined)))',
  );

try {
  const visitor = await browser.newContext({ baseURL: address, ...desk });
  await visitor.addInitScript(
    "if (location.protocol.startsWith('http')) localStorage.setItem('thaw-theme', 'light')",
  );
  const landing = await visitor.newPage();
  await landing.goto('/');
  await takePicture(landing, 'landing');

  const ines = await openNewcomer('Inês', 'female', desk);
  // Met and befriended earlier, so that Inês has a friend in the pictures.
  const callum = await openNewcomer('Callum', 'male', telephone);
  await meet(ines, callum);
  await befriend(ines, callum);
  await press(ines, 'Skip Chat');
  await press(ines, 'Confirm');
  await press(ines, 'Cancel');

  const tomasz = await openNewcomer('Tomasz', 'male', { ...telephone, theme: 'light' });
  await meet(ines, tomasz);
  await say(ines, tomasz, 'Quick: the best thing you ate this week?');
  await say(tomasz, ines, 'Cold pizza, standing, in front of the fridge');
  await say(tomasz, ines, 'At 2 am. No regrets');
  await say(ines, tomasz, 'A person of taste');
  await say(ines, tomasz, 'I had soup so bad that I named it');
  await say(tomasz, ines, 'You named it?');
  await say(ines, tomasz, 'Gerald. We don’t talk about Gerald');
  await say(tomasz, ines, '😂');
  await waitUntilSettled(ines.page);
  await takePicture(ines.page, 'chat');
  await waitUntilSettled(tomasz.page);
  await takePicture(tomasz.page, 'telephone');

  await press(ines, 'Break the Ice');
  for (const { page } of [ines, tomasz]) {
    const option = page
      .getByRole('region', { name: /^Break the Ice: / })
      .getByRole('radio')
      .nth(2);
    await option.click();
  }
  await ines.page.getByText('The ice is broken!').first().waitFor();
  await ines.page.getByRole('img', { name: 'Ice cubes' }).locator('canvas').waitFor({ state: 'attached' });
  // Waits until the cubes are in mid-fall.
  await new Promise((done) => setTimeout(done, 900));
  await takePicture(ines.page, 'break-the-ice');
} finally {
  await browser.close();
}
