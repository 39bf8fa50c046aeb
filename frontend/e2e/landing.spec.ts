import { type Page } from '@playwright/test';
import { pageLimits } from '../src/lib/page-limits';
import { expect, signInByHttp, test } from './support/test.ts';

const moods = ['Happy', 'Supportive', 'Playful', 'Melancholy', 'Deep', 'Uplifting', 'Vulnerable'];
const features = [
  'Instant matching',
  'An ice-breaker game',
  'Friends who stay',
  'A global community',
  'AI conversation suggestions',
  'Moderation and reporting',
];

const getConversation = (page: Page, index: number) =>
  page.getByRole('group', { name: `${moods[index]}, ${index + 1} of 7`, exact: true });
const getFeature = (page: Page, index: number) => page.getByRole('heading', { name: features[index] ?? '' });

/** Pauses the page's clock, which only the test advances afterwards. */
const pauseClock = async (page: Page): Promise<void> => {
  const now = await page.evaluate(() => Date.now());
  // `pauseAt` needs a time in the page's future, and the page's clock runs until the call arrives.
  await page.clock.pauseAt(now + 60_000);
};

/** Repeats the click until it works, because clicks on the prerendered page have no effect before it is hydrated. */
const pauseConversations = async (page: Page): Promise<void> => {
  const pause = page.getByRole('button', { name: 'Pause the conversations' });
  const play = page.getByRole('button', { name: 'Play the conversations' });
  await expect(async () => {
    if (await pause.isVisible()) await pause.click();
    await expect(play).toBeVisible({ timeout: 1_000 });
  }).toPass();
};

/** Moves the pointer off the carousels, which are paused while they contain it. */
const movePointerAway = (page: Page): Promise<void> => page.mouse.move(1, 1);

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`seven conversations and six features rotate, and can be paused (motion: ${reducedMotion})`, async ({
    openContext,
  }) => {
    const page = await (await openContext({ reducedMotion })).newPage();
    await page.clock.install();
    await page.goto('/');
    await pauseConversations(page);
    await pauseClock(page);

    // A carousel that was paused with its button stays paused after a slide is chosen.
    await page.getByRole('button', { name: 'Happy' }).click();
    await movePointerAway(page);
    await page.clock.runFor(3 * pageLimits.conversationCarouselMs);
    await expect(getConversation(page, 0)).toBeVisible();
    await page.getByRole('button', { name: 'Play the conversations' }).click();
    await movePointerAway(page);

    // A chosen slide is shown for the full interval.
    await page.clock.runFor(pageLimits.conversationCarouselMs - 1);
    await page.getByRole('button', { name: 'Happy' }).click();
    await movePointerAway(page);
    await page.clock.runFor(pageLimits.conversationCarouselMs - 1);
    await expect(getConversation(page, 0)).toBeVisible();
    await page.clock.runFor(1);
    for (const index of [1, 2, 3, 4, 5, 6, 0]) {
      await expect(getConversation(page, index)).toBeVisible();
      await expect(page.getByRole('group', { name: /of 7$/ })).toHaveCount(1);
      await page.clock.runFor(pageLimits.conversationCarouselMs);
    }

    await page.getByRole('button', { name: features[0] ?? '' }).click();
    await movePointerAway(page);
    await page.clock.runFor(pageLimits.featureCarouselMs - 1);
    await expect(getFeature(page, 0)).toBeVisible();
    await page.clock.runFor(1);
    for (const index of [1, 2, 3, 4, 5, 0]) {
      await expect(getFeature(page, index)).toBeVisible();
      await expect(page.getByRole('group', { name: /of 6$/ })).toHaveCount(1);
      await page.clock.runFor(pageLimits.featureCarouselMs);
    }

    // The carousel is paused while it contains the pointer, and then while it contains the keyboard focus.
    await page.getByRole('button', { name: features[2] ?? '' }).click();
    await page.clock.runFor(10 * pageLimits.featureCarouselMs);
    await expect(getFeature(page, 2)).toBeVisible();
    // The focus that the click has set does not pause the carousel.
    await page.keyboard.press('Tab');
    await movePointerAway(page);
    await page.clock.runFor(10 * pageLimits.featureCarouselMs);
    await expect(getFeature(page, 2)).toBeVisible();
  });
}

test('the HTML of / contains its texts, metadata and icons; the HTML of /chat contains no heading', async ({
  openContext,
}) => {
  const context = await openContext();
  // Of the page at /chat, only the shell (the frame) is prerendered.
  const chatHtml = await (await context.request.get('/chat')).text();
  expect(chatHtml).not.toContain('<h1');
  const html = await (await context.request.get('/')).text();
  for (const text of ['Somebody else is awake, too.', 'Ready to make Friends?', ...moods, ...features])
    expect(html).toContain(text);
  for (const [, file] of html.matchAll(/(?:href|content)="(\/[\w.-]+\.(?:png|svg|webmanifest))"/g)) {
    const response = await context.request.get(file ?? '');
    expect(response.status(), file).toBe(200);
  }
  expect(html).toMatch(/name="description"/);
  expect(html).toMatch(/property="og:image"/);
});

test.describe('a signed-in user whose scripts load late', () => {
  test.use({ expectedErrors: [/Failed to load resource/] });
  test('sees the link to the chat and their theme before hydration, and an early click takes effect afterwards', async ({
    openContext,
  }) => {
    const context = await openContext();
    await signInByHttp(context);
    await context.addInitScript(() => {
      // A blank document, in which this script runs too, has no storage.
      if (location.protocol.startsWith('http')) localStorage.setItem('thaw-theme', 'light');
    });
    const page = await context.newPage();
    let deliverScripts: () => void = () => undefined;
    const scriptsAreDelivered = new Promise<void>((resolve) => (deliverScripts = resolve));
    await page.route('**/assets/*.js', async (route) => {
      await scriptsAreDelivered;
      await route.continue();
    });
    await page.goto('/', { waitUntil: 'commit' });
    await expect(page.getByRole('link', { name: 'Back to the chat' })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
    await page.getByRole('radio', { name: 'System' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme-choice', 'light');
    deliverScripts();
    await expect(page.locator('html')).toHaveAttribute('data-theme-choice', 'system');
    await expect(page.getByRole('radio', { name: 'System' })).toBeChecked();
    await page.getByRole('link', { name: 'Back to the chat' }).click();
    await expect(page).toHaveURL('/chat');
  });
});
