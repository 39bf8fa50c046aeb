import { type Page } from '@playwright/test';
import { readStoredUser } from './support/account.ts';
import { expect, test, type Person } from './support/test.ts';

/** More than the number of tab stops on any page of the test. */
const maxTabPresses = 80;

/** Presses Tab until the first element with this role and name has the focus. */
const tabTo = async (
  page: Page,
  role: 'button' | 'radio' | 'region' | 'textbox',
  name: string | RegExp,
): Promise<void> => {
  const target = page.getByRole(role, { name, exact: true }).first();
  await expect(target).toBeVisible();
  for (let presses = 0; presses < maxTabPresses; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${role} "${String(name)}" is not reached with Tab`);
};

const pressButton = async (page: Page, name: string | RegExp): Promise<void> => {
  await tabTo(page, 'button', name);
  await page.keyboard.press('Enter');
};

const getMessageField = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/** Tabs to the message list and moves the focus to a message: the first ArrowUp focuses the newest one. */
const focusMessage = async (page: Page, positionFromEnd: number): Promise<void> => {
  await tabTo(page, 'region', 'Messages');
  for (let position = 1; position <= positionFromEnd; position += 1) {
    await page.keyboard.press('ArrowUp');
    const message = page.getByRole('region', { name: 'Messages' }).getByRole('listitem').nth(-position);
    await expect(message).toBeFocused();
  }
};

/** Creates an anonymous account and chooses its gender in the dialog that asks for it. */
const joinAsWoman = async (page: Page): Promise<void> => {
  await pressButton(page, 'Join Anonymously');
  await expect(page.getByRole('dialog')).toBeVisible();
  await tabTo(page, 'radio', 'Man');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Woman' })).toBeChecked();
  await pressButton(page, 'Confirm');
  await expect(page.getByRole('dialog', { name: 'Anonymous Account' })).toBeVisible();
  await pressButton(page, 'Maybe Later');
  await expect(page.getByRole('dialog')).toBeHidden();
};

const searchForMen = async (page: Page): Promise<void> => {
  await tabTo(page, 'radio', 'Both');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Man', exact: true })).toBeChecked();
  await tabTo(page, 'button', 'Find Conversation');
  await page.keyboard.press('Space');
};

const sendMessage = async (page: Page, bob: Person): Promise<void> => {
  await tabTo(page, 'textbox', 'Message');
  await page.keyboard.type('no mouse here');
  await page.keyboard.press('Enter');
  await expect(bob.message('no mouse here')).toBeVisible();
};

const editNewestMessage = async (page: Page, bob: Person): Promise<void> => {
  await focusMessage(page, 1);
  // A toolbar is one tab stop; End moves to its last button.
  await tabTo(page, 'button', 'React');
  await page.keyboard.press('End');
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(getMessageField(page)).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.type(' at all');
  await page.keyboard.press('Enter');
  await expect(bob.message('no mouse here at all')).toContainText('(edited)');
};

const replyToBob = async (page: Page, bob: Person): Promise<void> => {
  await bob.sendMessage('really?');
  await expect(page.getByText('really?', { exact: true })).toBeVisible();
  await focusMessage(page, 1);
  await tabTo(page, 'button', 'React');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'Reply', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(getMessageField(page)).toBeFocused();
  await page.keyboard.type('not one click');
  await page.keyboard.press('Enter');
  await expect(bob.message('not one click')).toContainText('really?');
};

/** Reacts to Bob's message, the one before the newest. */
const reactToBob = async (page: Page, bob: Person): Promise<void> => {
  await focusMessage(page, 2);
  await pressButton(page, 'React');
  await expect(page.getByRole('button', { name: 'Heart', exact: true })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'Laughing', exact: true })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(page.getByRole('button', { name: 'Heart', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(bob.page.getByRole('button', { name: 'Heart, 1' })).toBeVisible();
};

/** Plays the question game. Both users see the same answers and choose the second one. */
const playBreakTheIce = async (page: Page, bob: Person): Promise<void> => {
  await pressButton(page, 'Break the Ice');
  const optionsOfBob = bob.page.getByRole('region', { name: /^Break the Ice: / }).getByRole('radio');
  await expect(optionsOfBob.first()).toBeEnabled();
  await optionsOfBob.nth(1).click();
  const [firstAnswer = '', secondAnswer = ''] = await optionsOfBob.allTextContents();
  await tabTo(page, 'radio', firstAnswer);
  await page.keyboard.press('ArrowDown');
  const secondOption = page.getByRole('radio', { name: secondAnswer, exact: true });
  // An arrow key only moves the focus, because choosing an answer is final.
  await expect(secondOption).toBeFocused();
  await expect(secondOption).not.toBeChecked();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'The ice is broken!' })).toBeVisible();
};

const addFriend = async (page: Page): Promise<void> => {
  await pressButton(page, 'Add Friend');
  await expect(page.getByRole('button', { name: 'Sent!' })).toBeDisabled();
};

/** Skips the chat and cancels the search that a skip starts. */
const skipChat = async (page: Page, bob: Person): Promise<void> => {
  await pressButton(page, 'Skip Chat');
  await expect(page.getByText('Skip this chat?')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Skip Chat' })).toBeFocused();
  // The first Enter opens the question again, the second one confirms it.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(bob.heading('Chat Ended')).toBeVisible();
  await pressButton(page, 'Cancel');
  await expect(page.getByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
};

const logOut = async (page: Page): Promise<void> => {
  // In the name of the button, the kind of the account follows the user's name.
  const user = await readStoredUser(page);
  await pressButton(page, new RegExp(`^Profile Settings: ${user?.username}`));
  // The dialog also contains the choice of the theme, which must be reachable too.
  await tabTo(page, 'radio', 'Dark');
  await pressButton(page, 'Logout');
  await expect(page).toHaveURL('/auth');
};

// A logout may close the socket before its HTTP response arrives. The page then requests its user and gets 401.
test.use({ expectedErrors: [/status of 401/] });

test('a visitor can start, chat, play, skip and log out with the keyboard alone', async ({
  openContext,
  newcomer,
}) => {
  test.slow();
  const page = await (await openContext()).newPage();
  await page.goto('/');
  await joinAsWoman(page);
  await searchForMen(page);
  const bob = await newcomer({ gender: 'male' });
  await bob.pressFind();
  await expect(page.getByRole('heading', { name: bob.name })).toBeVisible();

  await sendMessage(page, bob);
  await editNewestMessage(page, bob);
  await replyToBob(page, bob);
  await reactToBob(page, bob);
  await playBreakTheIce(page, bob);
  await addFriend(page);
  await skipChat(page, bob);
  await logOut(page);
});
