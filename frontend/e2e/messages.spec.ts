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

/** Longer than a quote, which shows at most 60 characters above the composer and 50 in a message. */
const longText = 'What would you do with a whole day that nobody else knew about? I would walk.';

test('a reply quotes the message in shortened form, and Escape cancels the reply before it is sent', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await ada.sendMessage(longText);
  await clickAction(bob, longText, 'Reply');
  await expect(bob.page.getByText(`Replying to ${ada.name}`)).toBeVisible();
  await expect(bob.page.getByText(`${longText.slice(0, 60)}...`)).toBeVisible();
  await expect(bob.field).toBeFocused();
  await expectAccessible(bob.page, 'a reply being written', onlyChat);

  // Without a reply to cancel, Escape would ask whether to skip the chat.
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
});

test('users can edit only their own messages, and both pages mark an edited message', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage(longText);
  await bob.message(longText).hover();
  await expect(bob.button('React').first()).toBeVisible();
  await expect(bob.button('Edit')).toBeHidden();

  await clickAction(ada, longText, 'Edit');
  await expect(ada.field).toHaveValue(longText);
  await expect(ada.button('Attach photo')).toBeHidden();
  await expectAccessible(ada.page, 'a message being edited', onlyChat);
  await ada.field.fill('   ');
  await expect(ada.button('Save')).toBeDisabled();
  await ada.field.fill('What would you do with a free day?');
  await ada.field.press('Enter');
  for (const person of [ada, bob]) {
    await expect(person.message('What would you do with a free day?')).toContainText('(edited)');
  }
});

test('the draft returns to the message field when an edit is cancelled or saved', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('good morning');
  await expect(bob.message('good morning')).toBeVisible();
  await ada.field.fill('half a thought');
  await clickAction(ada, 'good morning', 'Edit');
  await expect(ada.field).toHaveValue('good morning');
  await ada.field.press('Escape');
  await expect(ada.field).toHaveValue('half a thought');

  await clickAction(ada, 'good morning', 'Edit');
  await ada.field.fill('good evening');
  await ada.field.press('Enter');
  await expect(bob.message('good evening')).toContainText('(edited)');
  await expect(ada.field).toHaveValue('half a thought');
});

test('starting a reply cancels an edit', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('good morning');
  await bob.sendMessage('Sleep, I fear');
  await expect(ada.message('Sleep, I fear')).toBeVisible();
  await clickAction(ada, 'good morning', 'Edit');
  await expect(ada.page.getByText('Editing your message')).toBeVisible();
  await clickAction(ada, 'Sleep, I fear', 'Reply');
  await expect(ada.page.getByText('Editing your message')).toBeHidden();
  await expect(ada.page.getByText(`Replying to ${bob.name}`)).toBeVisible();
});

const getReactionChoices = ({ page }: Person) => page.getByRole('dialog').getByRole('button');

test('a click on a reaction adds or removes that of the user, and a reaction without users disappears', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  const getThumbsUp = (person: Person, count: number) => person.button(`Thumbs up, ${count}`);
  await ada.sendMessage('good morning');
  await clickAction(bob, 'good morning', 'React');
  await expect(getReactionChoices(bob)).toHaveCount(reactionEmojis.length);
  await expectAccessible(bob.page, 'the reactions', { within: '[role="dialog"]' });
  await bob.page.getByRole('dialog').getByRole('button', { name: 'Thumbs up' }).click();
  await expect(getThumbsUp(bob, 1)).toHaveAttribute('aria-pressed', 'true');
  await expect(getThumbsUp(ada, 1)).toHaveAttribute('aria-pressed', 'false');

  await getThumbsUp(ada, 1).click();
  await expect(getThumbsUp(bob, 2)).toBeVisible();
  await expect(getThumbsUp(ada, 2)).toHaveAttribute('aria-pressed', 'true');
  await expectAccessible(ada.page, 'a chat with reactions', onlyChat);

  await getThumbsUp(ada, 2).click();
  await getThumbsUp(bob, 1).click();
  for (const { page } of [ada, bob])
    await expect(page.getByRole('button', { name: /^Thumbs up/ })).toHaveCount(0);
});

test('an edit, a reaction, a reply and a draft survive a reload', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('good morning');
  await clickAction(bob, 'good morning', 'Reply');
  await bob.sendMessage('Sleep, I fear');
  await expect(ada.message('Sleep, I fear')).toBeVisible();
  await clickAction(ada, 'good morning', 'Edit');
  await ada.field.fill('good evening');
  await ada.field.press('Enter');
  await expect(ada.message('good evening').first()).toContainText('(edited)');
  await ada.field.fill('half a thought');
  await clickAction(bob, 'good evening', 'React');
  await bob.page.getByRole('dialog').getByRole('button', { name: 'Fire' }).click();
  await expect(ada.button('Fire, 1')).toBeVisible();
  await expectAccessible(ada.page, 'a chat with a reply and a reaction', onlyChat);

  await ada.page.reload();
  await expect(ada.message('good evening').first()).toContainText('(edited)');
  await expect(ada.button('Fire, 1')).toBeVisible();
  await expect(ada.message('Sleep, I fear').getByRole('button', { name: /^In reply to/ })).toBeVisible();
  const rows = ['the welcome notice', 'the message', 'the reply'];
  await expect(ada.messages).toHaveCount(rows.length);
  await expect(ada.field).toHaveValue('half a thought');
});

test('arrow keys reach the actions of a message', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('good morning');
  await ada.sendMessage('good evening');
  await expect(bob.message('good evening')).toBeVisible();

  // Arrow Up moves the focus from the list to the last row, and then to the row above.
  await bob.page.getByRole('region', { name: 'Messages' }).focus();
  await bob.page.keyboard.press('ArrowUp');
  await expect(bob.message('good evening')).toBeFocused();
  await bob.page.keyboard.press('ArrowUp');
  await expect(bob.message('good morning')).toBeFocused();
  await expect(bob.message('good morning').getByRole('toolbar', { name: 'Message actions' })).toBeVisible();

  await bob.page.keyboard.press('Tab');
  await expect(bob.button('React')).toBeFocused();
  await bob.page.keyboard.press('ArrowRight');
  await expect(bob.button('Reply')).toBeFocused();
  await bob.page.keyboard.press('Enter');
  await expect(bob.field).toBeFocused();
});

const firstMessage = 'the very beginning';
/** Long enough for a bubble of the greatest width. */
const longFirstMessage = `${firstMessage} of ${'a long talk '.repeat(12)}`;

/** Sends more messages than fit on the screen of the partner, and scrolls up to the first one. */
const fillListAndScrollUp = async (sender: Person, partner: Person): Promise<void> => {
  await sender.sendMessage(longFirstMessage);
  for (let n = 1; n <= 20; n += 1) await sender.sendMessage(`filling ${n}.`);
  await expect(partner.message('filling 20.')).toBeInViewport();
  await partner.page.getByRole('region', { name: 'Messages' }).hover();
  await partner.page.mouse.wheel(0, -10_000);
  await expect(partner.message(firstMessage)).toBeInViewport();
};

test('a quote links to its message, far above in the list', async ({ pair }) => {
  const [ada, bob] = await pair();
  await fillListAndScrollUp(ada, bob);
  await expect(bob.button('Jump to the newest message')).toBeVisible();
  await clickAction(bob, firstMessage, 'Reply');
  await bob.sendMessage('I remember');
  await expect(bob.message('I remember')).toBeInViewport();

  // The list has scrolled to its end. Rows that are far out of view, like that of the quoted message, are not mounted.
  const quotedMessage = bob.messages.filter({ hasNotText: 'I remember' }).filter({ hasText: firstMessage });
  await expect(quotedMessage).toHaveCount(0);
  await bob.page.getByRole('button', { name: /^In reply to/ }).click();
  await expect(quotedMessage).toBeInViewport();
});

test('a button counts new messages out of view, and scrolls to them', async ({ pair }) => {
  const [ada, bob] = await pair();
  await fillListAndScrollUp(ada, bob);
  await ada.sendMessage('new one');
  await bob.button('1 new message').click();
  await expect(bob.message('new one')).toBeInViewport();
  await expect(bob.page.getByRole('button', { name: /new message|newest/ })).toBeHidden();
});

const phone = { width: 390, height: 844 };

const measureEdges = async (
  element: Locator,
): Promise<{ left: number; right: number; top: number; bottom: number }> => {
  const { x, y, width, height } = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { left: x, right: x + width, top: y, bottom: y + height };
};

test('on a narrow screen a message of the partner has one button for its actions, on the right of the bubble', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await ada.sendMessage(longFirstMessage);
  const row = bob.message(firstMessage);
  await expect(row).toBeVisible();
  await bob.page.setViewportSize(phone);
  await row.getByText(firstMessage).hover();
  const button = row.getByRole('button', { name: 'Message actions' });
  await expect(button).toBeVisible();
  await expect(row.getByRole('toolbar')).toBeHidden();

  const buttonEdges = await measureEdges(button);
  // The title of the bubble is the time of the message.
  const bubbleEdges = await measureEdges(row.locator('[title]').first());
  const rowEdges = await measureEdges(row);
  expect(buttonEdges.left).toBeGreaterThanOrEqual(bubbleEdges.right);
  expect(buttonEdges.right).toBeLessThanOrEqual(phone.width);
  expect(buttonEdges.top).toBeGreaterThanOrEqual(rowEdges.top);
  expect(buttonEdges.bottom).toBeLessThanOrEqual(rowEdges.bottom);

  await button.focus();
  await bob.page.keyboard.press('Enter');
  await expect(bob.page.getByRole('dialog', { name: 'Message actions' })).toBeVisible();
  await bob.page.keyboard.press('Escape');
  // The button is no longer mounted, so the focus returns to the row.
  await expect(row).toBeFocused();
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
  // The layout of the toolbar changes at 608 px and at 672 px.
  for (const width of [phone.width, 576, 640, 700]) {
    await ada.page.setViewportSize({ width, height: phone.height });
    const name = ada.heading(bob.name);
    const isTruncated = await name.evaluate((element) => element.scrollWidth > element.clientWidth);
    const nameWidth = await name.evaluate((element) => element.clientWidth);
    const isTooShort = isTruncated && nameWidth < minTruncatedNamePx;
    expect(isTooShort, `the name at ${width} px has ${nameWidth} px`).toBe(false);
    await expect(ada.button('Skip Chat')).toBeInViewport();
  }
});
