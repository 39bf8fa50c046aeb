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
import { expect, type Person, test } from './support/test.ts';

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

/** The menu of a user in the list of friends, the private chat and the chat history. */
const getMenuButtonName = ({ name }: Person): string => `More about ${name}`;

const endRandomChat = async (ada: Person, bob: Person): Promise<void> => {
  await bob.skip();
  await ada.button('New Conversation').click();
  await expect(ada.heading('Ready to chat?')).toBeVisible();
};

/** Opens the chat history, once it contains the only chat of the user. */
const openHistory = async (person: Person): Promise<Locator> => {
  const { page, user } = person;
  // The worker writes the history asynchronously, shortly after the match.
  const countEntries = async (): Promise<number> => {
    const response = await page.request.get(`/api/chat-history/${user.id}`);
    return ((await response.json()) as unknown[]).length;
  };
  await expect.poll(countEntries).toBe(1);
  await person.button('Chat History').click();
  return page.getByRole('dialog', { name: 'Chat History' });
};

test('the menu and the block dialog of the random chat are accessible, fit on a small screen and return the focus', async ({
  newcomer,
}) => {
  const [ada, bob] = await Promise.all([newcomer({ gender: 'female' }), newcomer({ gender: 'male' })]);
  const { page } = ada;
  const widestName = 'W'.repeat(limits.usernameMaxCodePoints);
  await renameByHttp(bob, widestName);
  await ada.pressFind();
  await bob.pressFind();
  await expect(ada.heading(widestName)).toBeVisible();
  await expect(bob.heading(ada.name)).toBeVisible();

  await expectIntactLayoutOnSmallScreen(page.locator('main'), 'random chat with its menu button');
  await ada.button('More').press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Report…' })).toBeFocused();
  await expectIntactLayoutOnSmallScreen(page.getByRole('menu'), 'menu');
  await expectAccessible(page, 'menu', { within: '[role="menu"]' });
  await page.keyboard.press('Escape');
  await expect(ada.button('More')).toBeFocused();

  await chooseMenuItem(page.locator('main'), 'More', 'Block…');
  const dialog = getBlockDialog(page, widestName);
  await expect(dialog).toContainText('This chat ends.');
  await expectIntactLayoutOnSmallScreen(dialog, 'block dialog');
  await expectAccessibleDialog(page, `Block ${widestName}?`);
  await page.keyboard.press('Escape');
  await expect(ada.button('More')).toBeFocused();
});

test('blocking the partner ends the chat in every tab, looks like a skip to the partner, and can be undone', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  const { page } = ada;
  const secondTab = await page.context().newPage();
  await secondTab.goto('/chat');
  await expect(secondTab.getByRole('heading', { name: bob.name, exact: true })).toBeVisible();

  await chooseMenuItem(page.locator('main'), 'More', 'Block…');
  await confirmBlock(page, bob.name);
  await expectToast(page, 'Blocked', `You will not meet ${bob.name} again.`);
  await expect(ada.heading('Ready to chat?')).toBeFocused();
  await expect(secondTab.getByRole('heading', { name: 'Ready to chat?' })).toBeVisible();
  await expect(bob.page.getByText('Your chat partner skipped this conversation')).toBeVisible();
  await ada.button('Undo').click();
  await expectToast(page, 'Unblocked');
  await secondTab.close();

  // Blocked users are never matched, so a match proves that the block was undone.
  await ada.pressFind();
  await bob.button('New Conversation').click();
  await bob.pressFind();
  await expect(ada.heading(bob.name)).toBeVisible();
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

test('blocking a friend in the list of friends ends the friendship and the chat for both, even if it is undone', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  const { page } = ada;
  await openChat(ada, bob);
  await openSidebar(page);
  const friends = page.getByRole('list', { name: 'Friends', exact: true });
  await chooseMenuItem(friends, getMenuButtonName(bob), 'Block…');
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
});

test('a friend can be blocked in the private chat, sees the blocker as a deleted account, and can be unblocked in the settings', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  const { page } = ada;
  await endRandomChat(ada, bob);
  await openChat(ada, bob);
  await chooseMenuItem(getPrivateChat(ada), getMenuButtonName(bob), 'Block…');
  await expect(getBlockDialog(page, bob.name)).toContainText('You will no longer be friends.');
  await expectIntactLayoutOnSmallScreen(getBlockDialog(page, bob.name), 'block dialog');
  await confirmBlock(page, bob.name);
  await expect(getPrivateChat(ada)).toBeHidden();
  for (const person of [ada, bob]) await expectNoFriends(person);

  const historyOfBob = await openHistory(bob);
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
});

test('an earlier partner can be blocked and unblocked in the chat history, which offers no request to a blocked user', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await endRandomChat(ada, bob);
  const history = await openHistory(ada);
  await chooseMenuItem(history, getMenuButtonName(bob), 'Block…');
  await confirmBlock(ada.page, bob.name);
  await expect(history.getByRole('button', { name: 'Add Friend' })).toBeHidden();
  await chooseMenuItem(history, getMenuButtonName(bob), 'Unblock');
  await expectToast(ada.page, 'Unblocked');
  await expect(history.getByRole('button', { name: 'Add Friend' })).toBeVisible();
});
