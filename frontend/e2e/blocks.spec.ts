import { type Locator, type Page } from '@playwright/test';
import { limits } from '@thaw/contract/limits';
import { expectToast, openSettings } from './support/account.ts';
import { openChat, getPrivateChat } from './support/private-chat.ts';
import { closeSidebar, openSidebar } from './support/sidebar.ts';
import { expectIntactLayoutOnSmallScreen } from './support/layout.ts';
import {
  expectAccessible,
  expectAccessibleDialog,
  expectAccessibleOnPhoneAndDesktop,
} from './support/accessibility.ts';
import { befriend, expect, type Person, test } from './support/test.ts';

// Requests for the profile of a blocked user return 404.
test.use({ expectedErrors: [/status of 404/] });

const renameByHttp = async ({ page, user }: Person, username: string): Promise<void> => {
  const response = await page.request.put(`/api/user/${user.id}`, { data: { username, avatar: null } });
  expect(response.ok(), 'rename').toBe(true);
};

/** Opens the menu of the named button inside `container` and chooses an item. */
const chooseMenuItem = async (container: Locator, button: string, item: string): Promise<void> => {
  await container.getByRole('button', { name: button, exact: true }).click();
  await container.page().getByRole('menuitem', { name: item, exact: true }).click();
};

const getBlockDialog = (page: Page, name: string) => page.getByRole('dialog', { name: `Block ${name}?` });

const confirmBlock = async (page: Page, name: string): Promise<void> => {
  await getBlockDialog(page, name).getByRole('button', { name: 'Block', exact: true }).click();
  await expect(getBlockDialog(page, name)).toBeHidden();
};

/** Expects an empty list of friends. The list is in the sidebar, which is closed on a phone. */
const expectNoFriends = async (person: Person): Promise<void> => {
  await openSidebar(person.page);
  await expect(person.heading('Friends (0)')).toBeVisible();
  await closeSidebar(person.page);
};

test('blocking the partner ends the chat, looks like a skip to the partner, and can be undone', async ({
  newcomer,
}) => {
  const [ada, bob] = await Promise.all([newcomer({ gender: 'female' }), newcomer({ gender: 'male' })]);
  // The widest possible name, for the checks of the layout.
  const name = 'W'.repeat(limits.usernameMaxCodePoints);
  await renameByHttp(bob, name);
  await ada.pressFind();
  await bob.pressFind();
  await expect(ada.heading(name)).toBeVisible();
  await expect(bob.heading(ada.name)).toBeVisible();
  const { page } = ada;
  const adasSecondTab = await page.context().newPage();
  await adasSecondTab.goto('/chat');
  await expect(adasSecondTab.getByRole('heading', { name, exact: true })).toBeVisible();

  await expectIntactLayoutOnSmallScreen(page.locator('main'), 'random chat with its menu button');
  await ada.button('More').press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Report…' })).toBeFocused();
  await expectIntactLayoutOnSmallScreen(page.getByRole('menu'), 'menu');
  await expectAccessible(page, 'menu', { within: '[role="menu"]' });
  await page.keyboard.press('Escape');
  await expect(ada.button('More')).toBeFocused();

  await chooseMenuItem(page.locator('main'), 'More', 'Block…');
  await expect(getBlockDialog(page, name)).toContainText('This chat ends.');
  await expectIntactLayoutOnSmallScreen(getBlockDialog(page, name), 'block dialog');
  await expectAccessibleDialog(page, `Block ${name}?`);
  await page.keyboard.press('Escape');
  await expect(ada.button('More')).toBeFocused();

  await chooseMenuItem(page.locator('main'), 'More', 'Block…');
  await confirmBlock(page, name);
  await expectToast(page, 'Blocked', `You will not meet ${name} again.`);
  await expect(ada.heading('Ready to chat?')).toBeFocused();
  await expect(adasSecondTab.getByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
  await expect(bob.page.getByText('Your chat partner skipped this conversation')).toBeVisible();
  await ada.button('Undo').click();
  await expectToast(page, 'Unblocked');
  await adasSecondTab.close();

  // Blocked users are never matched. After Undo the two are matched again.
  await ada.pressFind();
  await bob.button('New Conversation').click();
  await bob.pressFind();
  await expect(ada.heading(name)).toBeVisible();
});

test('the partner of a chat that has ended can be blocked', async ({ pair }) => {
  const [ada, bob] = await pair();
  const { page } = ada;
  await bob.skip();
  await expect(ada.heading('Chat Ended')).toBeVisible();
  await expectAccessible(page, 'skipped screen', { within: 'main' });
  await ada.button('Block').click();
  await expect(getBlockDialog(page, bob.name)).not.toContainText('This chat ends.');
  await confirmBlock(page, bob.name);
  await expect(ada.heading('Ready to chat?')).toBeVisible();
});

test('a friend can be blocked and unblocked in every place that offers it, which ends the friendship for both', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  const { page } = ada;
  const menuButton = `More about ${bob.name}`;
  // Ada blocks Bob in the list of friends and undoes the block in the toast. They are still in their random chat.
  await openChat(ada, bob);
  await openSidebar(page);
  await chooseMenuItem(page.getByRole('list', { name: 'Friends', exact: true }), menuButton, 'Block…');
  await expect(getBlockDialog(page, bob.name)).toContainText(
    'This chat ends. You will no longer be friends.',
  );
  await confirmBlock(page, bob.name);
  await ada.button('Undo').click();
  await expectToast(page, 'Unblocked');
  for (const person of [ada, bob]) await expectNoFriends(person);
  await expect(getPrivateChat(ada)).toBeHidden();
  await expect(ada.heading('Ready to chat?')).toBeVisible();
  await expect(bob.heading('Chat Ended')).toBeVisible();

  // Ada blocks Bob in the private chat and lifts the block in the settings. They are no longer in a random chat.
  await befriend(ada, bob);
  await openChat(ada, bob);
  await chooseMenuItem(getPrivateChat(ada), menuButton, 'Block…');
  await expect(getBlockDialog(page, bob.name)).toContainText('You will no longer be friends.');
  await expectIntactLayoutOnSmallScreen(getBlockDialog(page, bob.name), 'block dialog');
  await confirmBlock(page, bob.name);
  await expect(getPrivateChat(ada)).toBeHidden();
  for (const person of [ada, bob]) await expectNoFriends(person);

  // To the blocked user, the blocker looks like a deleted account.
  await bob.button('Chat History').click();
  const historyOfBob = bob.page.getByRole('dialog', { name: 'Chat History' });
  await expect(historyOfBob.getByRole('listitem')).toContainText('Unknown User');
  await expect(historyOfBob).not.toContainText(ada.name);

  await openSettings(page);
  await ada.button('Blocked people (1)').click();
  const blockedPeople = page.getByRole('dialog', { name: 'Blocked people' });
  // The name is followed by the time of the block.
  await expect(blockedPeople.getByRole('listitem')).toContainText(`${bob.name}Blocked `);
  await expectAccessibleOnPhoneAndDesktop(page, 'blocked people', { within: '[role="dialog"]' });
  await blockedPeople.getByRole('button', { name: 'Unblock' }).click();
  await expect(blockedPeople.getByText('You have blocked no one.')).toBeVisible();
  await blockedPeople.getByRole('button', { name: 'Close' }).click();
  await expect(ada.button('Blocked people (0)')).toBeFocused();
  await page.keyboard.press('Escape');

  // Ada blocks and unblocks Bob in the chat history.
  await ada.button('Chat History').click();
  const history = page.getByRole('dialog', { name: 'Chat History' });
  await chooseMenuItem(history, menuButton, 'Block…');
  await confirmBlock(page, bob.name);
  await expect(history.getByRole('button', { name: 'Add Friend' })).toBeHidden();
  await chooseMenuItem(history, menuButton, 'Unblock');
  await expectToast(page, 'Unblocked');
  await expect(history.getByRole('button', { name: 'Add Friend' })).toBeVisible();
});
