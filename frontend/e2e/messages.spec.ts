import { type Locator } from '@playwright/test';
import { reactionEmojis } from '@thaw/contract/emojis';
import { expectAccessible } from './support/accessibility.ts';
import { expect, type Person, test } from './support/test.ts';

/** Restricts accessibility checks to the chat; the tests of other files check the rest of the page. */
const onlyChat = { within: 'main' };

/**
 * Clicks an action in the toolbar of a message, which is shown while the pointer is over the message. The first row
 * with the text is the message; a later row may quote it.
 */
const clickAction = async (
  person: Person,
  text: string,
  action: 'Reply' | 'Edit' | 'React',
): Promise<void> => {
  await person.message(text).first().hover();
  await person.message(text).first().getByRole('button', { name: action, exact: true }).click();
};

test('replies, edits and reactions appear on both pages and survive a reload', async ({ pair }) => {
  const [ada, bob] = await pair();
  const longText = 'What would you do with a whole day that nobody else knew about? I would walk.';
  await ada.sendMessage(longText);

  // The text is longer than a quote, which has at most 60 characters above the composer and 50 in a message.
  await clickAction(bob, longText, 'Reply');
  await expect(bob.page.getByText(`Replying to ${ada.name}`)).toBeVisible();
  await expect(bob.page.getByText(`${longText.slice(0, 60)}...`)).toBeVisible();
  await expect(bob.field).toBeFocused();
  await expectAccessible(bob.page, 'a reply being written', onlyChat);
  // Escape cancels the reply; elsewhere it would ask whether to skip the chat.
  await bob.field.press('Escape');
  await expect(bob.page.getByText(`Replying to ${ada.name}`)).toBeHidden();
  await expect(bob.page.getByText('Skip this chat?')).toBeHidden();
  await clickAction(bob, longText, 'Reply');
  await bob.sendMessage('Sleep, I fear');
  const reply = ada.message('Sleep, I fear');
  await expect(reply.getByRole('button', { name: 'In reply to You' })).toContainText(
    `${longText.slice(0, 50)}...`,
  );
  await expect(bob.page.getByText(`Replying to ${ada.name}`)).toBeHidden();

  // Only the user's own text can be edited; the unsent text is restored afterwards.
  await bob.message(longText).first().hover();
  await expect(bob.button('React').first()).toBeVisible();
  await expect(bob.button('Edit')).toBeHidden();
  await ada.field.fill('half a thought');
  await clickAction(ada, longText, 'Edit');
  await expect(ada.field).toHaveValue(longText);
  await expect(ada.button('Attach photo')).toBeHidden();
  await expectAccessible(ada.page, 'a message being edited', onlyChat);
  await ada.field.fill('   ');
  await expect(ada.button('Save')).toBeDisabled();
  await ada.field.press('Escape');
  await expect(ada.field).toHaveValue('half a thought');
  await clickAction(ada, longText, 'Edit');
  // Enter now saves the edit.
  await ada.sendMessage('What would you do with a free day?');
  for (const person of [ada, bob]) {
    await expect(person.message('What would you do with a free day?').first()).toContainText('(edited)');
  }
  await expect(ada.field).toHaveValue('half a thought');

  // Starting a reply cancels an edit.
  await clickAction(ada, 'What would you do with a free day?', 'Edit');
  await clickAction(ada, 'Sleep, I fear', 'Reply');
  await expect(ada.page.getByText('Editing your message')).toBeHidden();
  await expect(ada.page.getByText(`Replying to ${bob.name}`)).toBeVisible();
  await ada.button('Cancel reply').click();

  // A click toggles a reaction. Each user counts once, and a reaction without users is removed.
  await clickAction(bob, 'What would you do with a free day?', 'React');
  await expect(bob.page.getByRole('dialog').getByRole('button')).toHaveCount(reactionEmojis.length);
  await expectAccessible(bob.page, 'the reactions', { within: '[role="dialog"]' });
  await bob.page.getByRole('dialog').getByRole('button', { name: 'Thumbs up' }).click();
  const getReaction = (person: Person, count: number) => person.button(`Thumbs up, ${count}`);
  await expect(getReaction(bob, 1)).toHaveAttribute('aria-pressed', 'true');
  await expect(getReaction(ada, 1)).toHaveAttribute('aria-pressed', 'false');
  await getReaction(ada, 1).click();
  await expect(getReaction(bob, 2)).toBeVisible();
  await expect(getReaction(ada, 2)).toHaveAttribute('aria-pressed', 'true');
  await expectAccessible(ada.page, 'a chat with a reply and reactions', onlyChat);
  await getReaction(ada, 2).click();
  await getReaction(bob, 1).click();
  for (const { page } of [ada, bob])
    await expect(page.getByRole('button', { name: /^Thumbs up/ })).toHaveCount(0);

  // The edit, a reaction, the reply and the draft survive a reload.
  await clickAction(bob, 'What would you do with a free day?', 'React');
  await bob.page.getByRole('dialog').getByRole('button', { name: 'Fire' }).click();
  await expect(ada.button('Fire, 1')).toBeVisible();
  await ada.page.reload();
  await expect(ada.message('What would you do with a free day?').first()).toContainText('(edited)');
  await expect(ada.button('Fire, 1')).toBeVisible();
  await expect(ada.message('Sleep, I fear').getByRole('button', { name: /^In reply to/ })).toBeVisible();
  // The welcome notice and two messages.
  await expect(ada.messages).toHaveCount(3);
  await expect(ada.field).toHaveValue('half a thought');
});

const phone = { width: 390, height: 844 };
/** The size in which the tests open a page. */
const desktop = { width: 1280, height: 800 };

/**
 * Expects a message of the partner, on a narrow screen, to have one button for all actions, on the right of the bubble
 * and within the row. Leaves the page at desktop size.
 */
const expectOneActionsButton = async (person: Person, text: string): Promise<void> => {
  const { page } = person;
  const row = person.message(text);
  await page.setViewportSize(phone);
  await row.getByText(text).hover();
  const button = row.getByRole('button', { name: 'Message actions' });
  await expect(button).toBeVisible();
  await expect(row.getByRole('toolbar')).toBeHidden();
  const measureEdges = async (element: Locator) => {
    const { x, y, width, height } = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    return { left: x, right: x + width, top: y, bottom: y + height };
  };
  const buttonEdges = await measureEdges(button);
  // The title of the bubble is the time of the message.
  const bubble = row.locator('[title]').first();
  const bubbleEdges = await measureEdges(bubble);
  const rowEdges = await measureEdges(row);
  expect(buttonEdges.left).toBeGreaterThanOrEqual(bubbleEdges.right);
  expect(buttonEdges.right).toBeLessThanOrEqual(phone.width);
  expect(buttonEdges.top).toBeGreaterThanOrEqual(rowEdges.top);
  expect(buttonEdges.bottom).toBeLessThanOrEqual(rowEdges.bottom);

  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Message actions' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(row).toBeFocused();
  await page.setViewportSize(desktop);
};

test('arrow keys reach the actions of a message, a quote links to its message, and a button counts new messages', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await ada.sendMessage(`the very beginning of ${'a long talk '.repeat(12)}`);
  await expect(bob.message('the very beginning')).toBeVisible();
  // More messages than fit on the screen.
  for (let n = 1; n <= 20; n += 1) await ada.sendMessage(`filling ${n}.`);
  await expect(bob.message('filling 20.')).toBeInViewport();

  // Arrow keys move the focus from the list to a row, and Tab moves it to the actions of that row.
  const list = bob.page.getByRole('region', { name: 'Messages' });
  await list.focus();
  await bob.page.keyboard.press('ArrowUp');
  await expect(bob.message('filling 20.')).toBeFocused();
  await bob.page.keyboard.press('ArrowUp');
  await expect(bob.message('filling 19.')).toBeFocused();
  await expect(bob.message('filling 19.').getByRole('toolbar', { name: 'Message actions' })).toBeVisible();
  await bob.page.keyboard.press('Tab');
  await expect(bob.button('React')).toBeFocused();
  await bob.page.keyboard.press('ArrowRight');
  await expect(bob.button('Reply')).toBeFocused();
  await bob.page.keyboard.press('Enter');
  await expect(bob.field).toBeFocused();
  await bob.button('Cancel reply').click();

  await list.hover();
  await bob.page.mouse.wheel(0, -10_000);
  await expect(bob.message('the very beginning')).toBeInViewport();
  await expect(bob.button('Jump to the newest message')).toBeVisible();
  await expectOneActionsButton(bob, 'the very beginning');
  await clickAction(bob, 'the very beginning', 'Reply');
  await bob.sendMessage('I remember');
  await expect(bob.message('I remember')).toBeInViewport();
  // The list has scrolled to its end, where the quoted message, far above, is not mounted.
  const quotedMessage = bob.messages
    .filter({ hasNotText: 'I remember' })
    .filter({ hasText: 'the very beginning' });
  await expect(quotedMessage).toHaveCount(0);
  await bob.page.getByRole('button', { name: /^In reply to/ }).click();
  await expect(quotedMessage).toBeInViewport();

  // New messages are counted on a button, which scrolls to them.
  await ada.sendMessage('new one');
  await bob.button('1 new message').click();
  await expect(bob.message('new one')).toBeInViewport();
  await expect(bob.page.getByRole('button', { name: /new message|newest/ })).toBeHidden();
});

const touchScreen = { viewport: phone, hasTouch: true, isMobile: true };

test('on a phone a long press opens the actions of a message', async ({ pair }) => {
  const [ada, bob] = await pair(touchScreen);
  await bob.sendMessage('press me');
  await expect(ada.message('press me')).toBeVisible();
  const bubble = ada.message('press me').getByText('press me');
  // Without a `pointerup`, the press lasts until the page recognises it as long.
  await bubble.dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true });
  const sheet = ada.page.getByRole('dialog', { name: 'Message actions' });
  await expect(sheet).toBeVisible();
  await expectAccessible(ada.page, 'the actions as a sheet', { within: '[role="dialog"]' });
  await sheet.getByRole('button', { name: 'Heart' }).click();
  await expect(bob.button('Heart, 1')).toBeVisible();
});

test('a truncated name of the partner is at least 96 px wide', async ({ pair }) => {
  const [ada, bob] = await pair(touchScreen);
  // About twelve letters.
  const minTruncatedNamePx = 96;
  // A phone, and widths around 608 px and 672 px, at which the layout of the toolbar changes.
  for (const width of [390, 576, 640, 700]) {
    await ada.page.setViewportSize({ width, height: phone.height });
    const name = ada.heading(bob.name);
    const isTruncated = await name.evaluate((element) => element.scrollWidth > element.clientWidth);
    const nameWidth = await name.evaluate((element) => element.clientWidth);
    const isTooShort = isTruncated && nameWidth < minTruncatedNamePx;
    expect(isTooShort, `the name at ${width} px has ${nameWidth} px`).toBe(false);
    await expect(ada.button('Skip Chat')).toBeInViewport();
  }
});
