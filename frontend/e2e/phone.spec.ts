import { type Locator, type Page } from '@playwright/test';
import { inPrivateChat, openChat } from './support/private-chat.ts';
import { expectNoOverflow, expectAccessible } from './support/accessibility.ts';
import { expect, test, type Person } from './support/test.ts';

// The project `phone` of playwright.config.ts gives these tests a touch screen of 390 × 844 px.

interface Point {
  x: number;
  y: number;
}

const toolbarActions = ['Break the Ice', 'Add Friend', 'Skip Chat'] as const;

/** Screens of phones. In portrait several messages must fit into the message list, in landscape one message. */
const phoneScreens = [
  { width: 320, height: 640, minListHeightPx: 300 },
  { width: 390, height: 844, minListHeightPx: 300 },
  { width: 568, height: 320, minListHeightPx: 100 },
  { width: 844, height: 390, minListHeightPx: 100 },
];

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
      return {
        widthPx: [...range.getClientRects()].reduce((sum, { width }) => sum + width, 0),
        // The CSS class of such texts positions them absolutely.
        isOnlyForScreenReaders: getComputedStyle(element).position === 'absolute',
      };
    });
    expect(widthPx, `width of the label ${name}`).toBeGreaterThan(minLabelPx);
    expect(isOnlyForScreenReaders, `the label ${name} is for screen readers only`).toBe(false);
  }
};

const measureBox = async (element: Locator): Promise<Point & { width: number; height: number }> => {
  const box = await element.boundingBox();
  if (!box) throw new Error('The element is not visible');
  return box;
};

test('a phone shows the labels of the toolbar and enough of the message list, in portrait and in landscape', async ({
  pair,
}) => {
  const [ada] = await pair();
  const list = ada.page.getByRole('region', { name: 'Messages' });
  for (const { width, height, minListHeightPx } of phoneScreens) {
    await ada.page.setViewportSize({ width, height });
    await expectLabelsVisible(ada, toolbarActions);
    await expectNoOverflow(ada.page, 'an active chat');
    const listBox = await measureBox(list);
    expect(listBox.height, `height of the list at ${width} × ${height}`).toBeGreaterThan(minListHeightPx);
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
  const logo = await measureBox(ada.page.getByRole('banner').getByRole('link', { name: 'Thaw' }));
  const status = await measureBox(ada.page.getByText('Connected', { exact: true }));
  const requests = await measureBox(ada.page.getByRole('button', { name: /^Friend Requests/ }));
  expect(logo.x + logo.width).toBeLessThanOrEqual(status.x);
  expect(status.x + status.width).toBeLessThanOrEqual(requests.x);
  await expectNoOverflow(ada.page, 'the top bar');
});

test('the font size of the message field is 16 px, so that phones do not zoom in on focus', async ({
  pair,
}) => {
  // At this width, the font would be smaller on a device with a mouse.
  const [ada] = await pair({ viewport: { width: 844, height: 390 } });
  await expect(ada.field).toHaveCSS('font-size', '16px');
});

/** Where the browser receives a touch. With two fingers, each needs an id. */
interface Finger extends Point {
  id?: number;
}

/**
 * Puts fingers on the page, moves them in four steps, and lifts them.
 * @param placeFingers  returns where the fingers are after a share of the movement, from 0 to 1
 */
const moveFingers = async (page: Page, placeFingers: (share: number) => Finger[]): Promise<void> => {
  const devtools = await page.context().newCDPSession(page);
  const dispatchTouch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Finger[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
  await dispatchTouch('touchStart', placeFingers(0));
  for (const share of [0.25, 0.5, 0.75, 1]) await dispatchTouch('touchMove', placeFingers(share));
  await dispatchTouch('touchEnd', []);
  await devtools.detach();
};

/** Drags one finger from a point by `distance`, both in px. */
const drag = (page: Page, from: Point, distance: Point): Promise<void> =>
  moveFingers(page, (share) => [{ x: from.x + distance.x * share, y: from.y + distance.y * share }]);

/** Spreads two fingers around a centre, until their distance has grown by a factor. */
const spread = (page: Page, { x, y }: Point, factor: number): Promise<void> => {
  const startOffsetPx = 30; // of each finger from the centre
  return moveFingers(page, (share) => {
    const offsetPx = startOffsetPx * (1 + (factor - 1) * share);
    return [
      { x: x - offsetPx, y, id: 1 },
      { x: x + offsetPx, y, id: 2 },
    ];
  });
};

const findCentre = async (element: Locator): Promise<Point> => {
  const { x, y, width, height } = await measureBox(element);
  return { x: x + width / 2, y: y + height / 2 };
};

test('a swipe to the right replies to a message; a short or diagonal swipe does not', async ({ pair }) => {
  const [ada, bob] = await pair();
  await bob.sendMessage('swipe me');
  const text = ada.message('swipe me').getByText('swipe me');
  await expect(text).toBeVisible();
  const replying = ada.page.getByText(`Replying to ${bob.name}`);
  // A swipe replies from 56 px on, if it is mainly horizontal.
  const tooShort = { x: 30, y: 0 };
  const diagonal = { x: 70, y: 90 };
  const toTheRight = { x: 90, y: 6 };
  await drag(ada.page, await findCentre(text), tooShort);
  await drag(ada.page, await findCentre(text), diagonal);
  await expect(replying).toBeHidden();
  await drag(ada.page, await findCentre(text), toTheRight);
  await expect(replying).toBeVisible();
});

/** Sends a photo and opens it. @returns the photo after it has loaded, when it fills the width of the screen */
const openSentPhoto = async (user: Person): Promise<Locator> => {
  const { page } = user;
  await page
    .locator('input[type=file]')
    .setInputFiles(new URL('../public/social.png', import.meta.url).pathname);
  await user.button('Send').tap();
  await user.messages.getByRole('button', { name: /^Open: / }).tap();
  const photo = page.getByRole('dialog').getByRole('img');
  await expect(photo).toBeVisible();
  await expect.poll(async () => (await measureBox(photo)).width).toBeGreaterThan(300);
  return photo;
};

test('a pinch zooms a photo but not the page, and one finger then moves the photo, but not beyond its edges', async ({
  pair,
}) => {
  const [ada] = await pair();
  const { page } = ada;
  const photo = await openSentPhoto(ada);
  const unzoomed = await measureBox(photo);
  await spread(page, await findCentre(photo), 3);
  const zoomed = await measureBox(photo);
  expect(zoomed.width).toBeCloseTo(unzoomed.width * 3, -1); // -1: within 5 px
  expect(await page.evaluate(() => visualViewport?.scale), 'the page itself is not zoomed').toBe(1);

  await drag(page, await findCentre(photo), { x: 40, y: 0 });
  expect((await measureBox(photo)).x).toBeCloseTo(zoomed.x + 40, 0);
  // One drag across the screen does not reach the left edge of the photo.
  await drag(page, { x: 100, y: 400 }, { x: 280, y: 0 });
  await drag(page, { x: 100, y: 400 }, { x: 280, y: 0 });
  expect((await measureBox(photo)).x, 'no gap on the left of the photo').toBeCloseTo(0, 0);
});

test('a double tap on a zoomed photo shows the whole photo, the next one enlarges it', async ({ pair }) => {
  const [ada] = await pair();
  const { page } = ada;
  const photo = await openSentPhoto(ada);
  const centre = await findCentre(photo);
  const measureWidth = async (): Promise<number> => (await measureBox(photo)).width;
  const doubleTap = async (): Promise<void> => {
    await page.touchscreen.tap(centre.x, centre.y);
    await page.touchscreen.tap(centre.x, centre.y);
  };
  const wholeWidth = await measureWidth();
  await spread(page, centre, 3);
  expect(await measureWidth()).toBeGreaterThan(wholeWidth);
  await doubleTap();
  await expect.poll(measureWidth).toBeCloseTo(wholeWidth, 0);
  await doubleTap();
  await expect.poll(measureWidth).toBeCloseTo(wholeWidth * 2.5, 0);
});

test('the Back button of a phone closes a photo and stays in the chat', async ({ pair }) => {
  const [ada] = await pair();
  await openSentPhoto(ada);
  await ada.page.goBack();
  await expect(ada.page.getByRole('dialog')).toBeHidden();
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
    const expectCurrent = async (dot: Locator): Promise<void> =>
      expect(currentDot).toHaveAttribute('aria-label', (await dot.getAttribute('aria-label')) ?? '');
    await dots.first().tap();
    // A swipe to the right shows the previous slide. The last slide precedes the first one.
    await drag(page, await findCentre(shownSlide), { x: 80, y: 0 });
    await expectCurrent(dots.last());
    await drag(page, await findCentre(shownSlide), { x: -80, y: 0 });
    await expectCurrent(dots.first());
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

test('a web address in a random chat is hidden until tapped, even from a friend, and then can be copied', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  const messageWithAddress = 'look: https://example.org/a.';
  // The first attempt only shows a warning.
  await bob.sendMessage(messageWithAddress);
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
});

test('a web address in a private chat is a link', async ({ friendsInChat }) => {
  const [ada, bob] = await friendsInChat();
  await ada.page.getByRole('button', { name: /^Open sidebar/ }).tap();
  await openChat(ada, bob);
  await bob.page.getByRole('button', { name: /^Open sidebar/ }).tap();
  await openChat(bob, ada);
  await inPrivateChat(bob).sendMessage('and here: www.example.org');
  const link = inPrivateChat(ada).message('and here:').getByRole('link', { name: 'www.example.org' });
  await expect(link).toHaveAttribute('href', 'https://www.example.org/');
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer nofollow');
});
