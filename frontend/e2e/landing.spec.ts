import { type BrowserContext, type Page } from '@playwright/test';
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

/** Opens the landing page with paused conversations and a paused clock, after the page is hydrated. */
const openPausedPage = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage();
  await page.clock.install();
  await page.goto('/');
  await pauseConversations(page);
  await pauseClock(page);
  return page;
};

/** Presses a button of a carousel, and moves the pointer off the carousel, which is paused while it contains it. */
const pressAndMoveAway = async (page: Page, buttonName: string): Promise<void> => {
  await page.getByRole('button', { name: buttonName }).click();
  await page.mouse.move(1, 1);
};

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test.describe(`with the motion preference ${reducedMotion}`, () => {
    test('conversations that were paused with the button stay paused after one is chosen', async ({
      openContext,
    }) => {
      const page = await openPausedPage(await openContext({ reducedMotion }));
      await pressAndMoveAway(page, 'Happy');
      await page.clock.runFor(3 * pageLimits.conversationCarouselMs);
      await expect(getConversation(page, 0)).toBeVisible();
    });

    test('a chosen conversation is shown for the full interval, and then all seven in turn', async ({
      openContext,
    }) => {
      const page = await openPausedPage(await openContext({ reducedMotion }));
      await pressAndMoveAway(page, 'Happy');
      await pressAndMoveAway(page, 'Play the conversations');
      await page.clock.runFor(pageLimits.conversationCarouselMs - 1);
      // The same slide again: this also starts a full interval.
      await pressAndMoveAway(page, 'Happy');
      await page.clock.runFor(pageLimits.conversationCarouselMs - 1);
      await expect(getConversation(page, 0)).toBeVisible();
      await page.clock.runFor(1);
      for (const index of [1, 2, 3, 4, 5, 6, 0]) {
        await expect(getConversation(page, index)).toBeVisible();
        await expect(page.getByRole('group', { name: /of 7$/ })).toHaveCount(1);
        await page.clock.runFor(pageLimits.conversationCarouselMs);
      }
    });

    test('a chosen feature is shown for the full interval, and then all six in turn', async ({
      openContext,
    }) => {
      const page = await openPausedPage(await openContext({ reducedMotion }));
      await pressAndMoveAway(page, features[0] ?? '');
      await page.clock.runFor(pageLimits.featureCarouselMs - 1);
      await expect(getFeature(page, 0)).toBeVisible();
      await page.clock.runFor(1);
      for (const index of [1, 2, 3, 4, 5, 0]) {
        await expect(getFeature(page, index)).toBeVisible();
        await expect(page.getByRole('group', { name: /of 6$/ })).toHaveCount(1);
        await page.clock.runFor(pageLimits.featureCarouselMs);
      }
    });

    test('the features are paused while they contain the pointer or the keyboard focus', async ({
      openContext,
    }) => {
      const page = await openPausedPage(await openContext({ reducedMotion }));
      await page.getByRole('button', { name: features[2] ?? '' }).click();
      await page.clock.runFor(10 * pageLimits.featureCarouselMs);
      await expect(getFeature(page, 2)).toBeVisible();
      // Tab gives the next button the keyboard focus. The focus that the click has set would not pause the carousel.
      await page.keyboard.press('Tab');
      await page.mouse.move(1, 1);
      await page.clock.runFor(10 * pageLimits.featureCarouselMs);
      await expect(getFeature(page, 2)).toBeVisible();
    });
  });
}

test('the HTML of /chat contains no heading, because only the frame of the page is prerendered', async ({
  openContext,
}) => {
  const context = await openContext();
  const html = await (await context.request.get('/chat')).text();
  expect(html).not.toContain('<h1');
});

test('the HTML of / contains its texts and metadata, and its icons exist', async ({ openContext }) => {
  const context = await openContext();
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
  test('sees their theme and the link to the chat before hydration, and an early click takes effect after it', async ({
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
    await page.getByRole('radio', { name: 'System' }).click(); // the early click
    await expect(page.locator('html')).toHaveAttribute('data-theme-choice', 'light');
    deliverScripts();
    await expect(page.locator('html')).toHaveAttribute('data-theme-choice', 'system');
    await expect(page.getByRole('radio', { name: 'System' })).toBeChecked();
    await page.getByRole('link', { name: 'Back to the chat' }).click();
    await expect(page).toHaveURL('/chat');
  });
});
