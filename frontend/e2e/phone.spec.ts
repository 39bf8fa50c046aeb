import { type Locator, type Page } from '@playwright/test';
import { inPrivateChat, openChat } from './support/private-chat.ts';
import { expectNoOverflow, expectAccessible } from './support/accessibility.ts';
import { expect, test, type Person } from './support/test.ts';

// The project `phone` of playwright.config.ts gives these tests a touch screen of 390 × 844 px.

const toolbarActions = ['Break the Ice', 'Add Friend', 'Skip Chat'] as const;

/** Less than the width of the shortest label, and more than that of a hidden text. */
const minLabelPx = 20;

/** Expects each button to show its name as text, not only to screen readers. */
const expectLabelsVisible = async ({ page }: Person, names: readonly string[]): Promise<void> => {
  for (const name of names) {
    const button = page.getByRole('button', { name, exact: true });
    const text = button.getByText(name, { exact: true });
    // The text may be in an element of its own inside the button.
    const label = (await text.count()) > 0 ? text : button;
    await expect(label).toBeInViewport({ ratio: 1 });
    const { widthPx, isOnlyForScreenReaders } = await label.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const widthPx = [...range.getClientRects()].reduce((sum, { width }) => sum + width, 0);
      // Texts for screen readers are positioned absolutely.
      return { widthPx, isOnlyForScreenReaders: getComputedStyle(element).position === 'absolute' };
    });
    expect(widthPx, `width of the label ${name}`).toBeGreaterThan(minLabelPx);
    expect(isOnlyForScreenReaders, `the label ${name} is for screen readers only`).toBe(false);
  }
};

test('the labels of the toolbar are visible on phones of two sizes, in portrait and in landscape', async ({
  pair,
}) => {
  const [ada] = await pair();
  for (const viewport of [
    { width: 320, height: 640 },
    { width: 390, height: 844 },
    { width: 568, height: 320 },
    { width: 844, height: 390 },
  ]) {
    await ada.page.setViewportSize(viewport);
    await expectLabelsVisible(ada, toolbarActions);
    await expectNoOverflow(ada.page, 'an active chat');
    const list = ada.page.getByRole('region', { name: 'Messages' });
    const { height } = (await list.boundingBox()) ?? { height: 0 };
    // One message fits in landscape, several fit in portrait.
    expect(height, `height of the list at ${viewport.width} × ${viewport.height}`).toBeGreaterThan(
      viewport.height < 400 ? 100 : 300,
    );
  }
});

test('the toast of a sent friend request covers no control of the page', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.button('Add Friend').tap();
  const toast = ada.page.getByText('Friend request sent', { exact: true });
  await expect(toast).toBeVisible();
  for (const width of [320, 390]) {
    await ada.page.setViewportSize({ width, height: 844 });
    // A trial tap fails if another element would receive it. The time is short, because the toast expires after 5 s.
    for (const name of ['Open sidebar', 'Chat History', 'Break the Ice', 'Skip Chat'])
      await ada.button(name).tap({ trial: true, timeout: 2_000 });
  }
  await expect(toast).toBeVisible();
  await expectLabelsVisible(ada, ['Sent!']);
  await expectAccessible(ada.page, 'the toolbar of a phone');
  await expect(ada.heading(bob.name)).toBeInViewport();
});

test('the parts of the top bar do not overlap at 320 px', async ({ newcomer }) => {
  const ada = await newcomer({ viewport: { width: 320, height: 640 } });
  const measureHorizontalEdges = async (element: Locator): Promise<[number, number]> => {
    const box = await element.boundingBox();
    return box ? [box.x, box.x + box.width] : [NaN, NaN];
  };
  const [, logoEnd] = await measureHorizontalEdges(
    ada.page.getByRole('banner').getByRole('link', { name: 'Thaw' }),
  );
  const [statusStart, statusEnd] = await measureHorizontalEdges(
    ada.page.getByText('Connected', { exact: true }),
  );
  const [requestsStart] = await measureHorizontalEdges(
    ada.page.getByRole('button', { name: /^Friend Requests/ }),
  );
  expect(logoEnd).toBeLessThanOrEqual(statusStart);
  expect(statusEnd).toBeLessThanOrEqual(requestsStart);
  await expectNoOverflow(ada.page, 'the top bar');
});

test('the font size of the message field is 16 px, so that phones do not zoom in on focus', async ({
  pair,
}) => {
  // At this width, the font would be smaller on a device with a mouse.
  const [ada] = await pair({ viewport: { width: 844, height: 390 } });
  await expect(ada.field).toHaveCSS('font-size', '16px');
});

/** Drags one finger from a point by `distance`, both in px, with touch events of the browser, in four steps. */
const drag = async (
  page: Page,
  from: { x: number; y: number },
  distance: { x: number; y: number },
): Promise<void> => {
  const devtools = await page.context().newCDPSession(page);
  const dispatchTouch = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd' ? [] : [{ x: from.x + distance.x * share, y: from.y + distance.y * share }],
    });
  await dispatchTouch('touchStart', 0);
  for (const share of [0.25, 0.5, 0.75, 1]) await dispatchTouch('touchMove', share);
  await dispatchTouch('touchEnd', 1);
  await devtools.detach();
};

const findCentre = async (element: Locator): Promise<{ x: number; y: number }> => {
  const box = await element.boundingBox();
  if (!box) throw new Error('The element is not visible');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

test('a swipe to the right replies to a message; a short or diagonal swipe does not', async ({ pair }) => {
  const [ada, bob] = await pair({ prepare: (page) => page.clock.install() });
  await bob.sendMessage('swipe me');
  const text = ada.message('swipe me').getByText('swipe me');
  await expect(text).toBeVisible();
  // With a running clock, a touch that a busy machine moves late would be a long press, which opens the message's menu.
  await ada.page.clock.pauseAt(Date.now() + 5_000);
  const replying = ada.page.getByText(`Replying to ${bob.name}`);
  // A swipe replies from 56 px on, if it is mainly horizontal. The first one is too short, the second one diagonal.
  await drag(ada.page, await findCentre(text), { x: 30, y: 0 });
  await drag(ada.page, await findCentre(text), { x: 70, y: 90 });
  await expect(replying).toBeHidden();
  await drag(ada.page, await findCentre(text), { x: 90, y: 6 });
  await expect(replying).toBeVisible();
});

/** Initial distance of each of the two fingers from the centre of a pinch. */
const startDistancePx = 30;

/** Moves two fingers away from a centre, each by `distancePx`. */
const pinch = async (page: Page, { x, y }: { x: number; y: number }, distancePx: number): Promise<void> => {
  const devtools = await page.context().newCDPSession(page);
  const dispatchTouch = (type: 'touchStart' | 'touchMove' | 'touchEnd', offsetPx: number) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd'
          ? []
          : [
              { x: x - offsetPx, y, id: 1 },
              { x: x + offsetPx, y, id: 2 },
            ],
    });
  await dispatchTouch('touchStart', startDistancePx);
  for (const share of [0.25, 0.5, 0.75, 1])
    await dispatchTouch('touchMove', startDistancePx + distancePx * share);
  await dispatchTouch('touchEnd', 0);
  await devtools.detach();
};

test('a pinch or a double tap zooms a photo, and one finger moves the photo, but not beyond its edges', async ({
  pair,
}) => {
  const [ada] = await pair();
  const { page } = ada;
  await page
    .locator('input[type=file]')
    .setInputFiles(new URL('../public/social.png', import.meta.url).pathname);
  await ada.button('Send').tap();
  await ada.messages.getByRole('button', { name: /^Open: / }).tap();
  const photo = page.getByRole('dialog').getByRole('img');
  await expect(photo).toBeVisible();
  const measurePhoto = async () => (await photo.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  // Wait until the photo is loaded and fills the width of the screen.
  await expect.poll(async () => (await measurePhoto()).width).toBeGreaterThan(300);
  const unzoomed = await measurePhoto();

  // The distance of the fingers triples.
  await pinch(page, await findCentre(photo), 2 * startDistancePx);
  const zoomed = await measurePhoto();
  // Within 5 px.
  expect(zoomed.width).toBeCloseTo(unzoomed.width * 3, -1);
  expect(await page.evaluate(() => visualViewport?.scale), 'the page itself is not zoomed').toBe(1);

  await drag(page, await findCentre(photo), { x: 40, y: 0 });
  expect((await measurePhoto()).x).toBeCloseTo(zoomed.x + 40, 0);
  // Twice, because one drag across the screen does not reach the left edge of the photo.
  for (let count = 0; count < 2; count += 1) await drag(page, { x: 100, y: 400 }, { x: 280, y: 0 });
  expect((await measurePhoto()).x, 'no gap on the left of the photo').toBeCloseTo(0, 0);

  const doubleTapCentre = async (): Promise<void> => {
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    for (let count = 0; count < 2; count += 1) await page.touchscreen.tap(width / 2, height / 2);
  };
  // A double tap shows the whole photo, and the next one enlarges it by the factor 2.5.
  await doubleTapCentre();
  await expect.poll(async () => (await measurePhoto()).width).toBeCloseTo(unzoomed.width, 0);
  await doubleTapCentre();
  await expect.poll(async () => (await measurePhoto()).width).toBeCloseTo(unzoomed.width * 2.5, 0);
  // The Back button of a phone closes the photo.
  await page.goBack();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(ada.field).toBeVisible();
});

test('both carousels of the landing page follow a swipe in either direction and wrap around', async ({
  openContext,
}) => {
  const page = await (await openContext()).newPage();
  await page.goto('/');
  for (const name of ['Conversations on Thaw', 'What Thaw can do']) {
    const carousel = page.getByLabel(name, { exact: true });
    const currentDot = carousel.locator('[aria-current="true"]');
    const dots = carousel.locator('[aria-current]');
    await carousel.scrollIntoViewIfNeeded();
    const shownSlide = carousel.locator('[data-shown]');
    await dots.first().tap();
    // A swipe to the right shows the previous slide. The last slide precedes the first one.
    await drag(page, await findCentre(shownSlide), { x: 80, y: 0 });
    await expect(currentDot).toHaveAttribute(
      'aria-label',
      (await dots.last().getAttribute('aria-label')) ?? '',
    );
    await drag(page, await findCentre(shownSlide), { x: -80, y: 0 });
    await expect(currentDot).toHaveAttribute(
      'aria-label',
      (await dots.first().getAttribute('aria-label')) ?? '',
    );
  }
});

test("a stranger's offensive message is hidden until tapped", async ({ pair }) => {
  const [ada, bob] = await pair();
  await bob.sendMessage('send nudes');
  const hiddenMessage = ada.page.getByRole('button', { name: 'Message hidden' });
  await expect(hiddenMessage).toBeVisible();
  await hiddenMessage.tap();
  await expect(ada.message('send nudes')).toBeVisible();
});

test('a web address in a random chat is hidden until tapped and can be copied; in a private chat it is a link', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  // In the random chat even a friend counts as a stranger. The first attempt to send the address only shows a warning.
  const messageWithAddress = 'look: https://example.org/a.';
  await bob.field.fill(messageWithAddress);
  await bob.field.press('Enter');
  await expect(bob.page.getByText('You are about to share contact details with a stranger.')).toBeVisible();
  await expectAccessible(bob.page, 'the warning about contact details');
  await bob.sendMessage(messageWithAddress);
  const row = ada.message('look:');
  await expect(row).not.toContainText('example.org');
  await expectAccessible(ada.page, 'hidden contact details');
  await row.getByRole('button', { name: 'Contact details hidden' }).tap();
  await expect(row.getByRole('button', { name: 'Copy example.org' })).toBeVisible();
  await expect(row.getByRole('link')).toHaveCount(0);
  await expectNoOverflow(ada.page, 'an address');

  await ada.page.getByRole('button', { name: /^Open sidebar/ }).tap();
  await openChat(ada, bob);
  await bob.page.getByRole('button', { name: /^Open sidebar/ }).tap();
  await openChat(bob, ada);
  await inPrivateChat(bob).sendMessage('and here: www.example.org');
  const link = inPrivateChat(ada).message('and here:').getByRole('link', { name: 'www.example.org' });
  await expect(link).toHaveAttribute('href', 'https://www.example.org/');
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer nofollow');
});
