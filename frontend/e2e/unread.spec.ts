import { befriend, expect, Person, test } from './support/test.ts';
import {
  type PrivateChatUser,
  inPrivateChat,
  openChat,
  getPrivateChat,
  seedMessages,
} from './support/private-chat.ts';

// On logout, the server may close the socket before it responds. The page then requests its user and gets 401.
test.use({ expectedErrors: [/status of 401/] });

/** Locates the row of a friend in the sidebar. */
const getFriendRow = ({ page }: Person, friend: Person) =>
  page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('listitem')
    .filter({ hasText: friend.name });

/** Makes the document report that its tab has become hidden or visible. */
const setTabHidden = (page: Person['page'], isHidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (hidden ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);

test('a badge counts unread messages of each friend; opening the chat clears it in every tab', async ({
  friendsInChat,
  newcomer,
}) => {
  const [ada, bob] = await friendsInChat();
  await ada.skip();
  const eve = await newcomer();
  await eve.pressFind();
  await expect(ada.heading(eve.name)).toBeVisible();
  await befriend(ada, eve);
  const secondTab = new Person(await ada.page.context().newPage(), ada.user);
  await secondTab.page.goto('/chat');
  await expect(getFriendRow(secondTab, eve)).toBeVisible();

  await seedMessages(bob, ada, 2);
  await seedMessages(eve, ada, 1);
  for (const tab of [ada, secondTab]) {
    await expect(getFriendRow(tab, bob).getByText('2 unread')).toBeVisible();
    await expect(getFriendRow(tab, eve).getByText('1 unread')).toBeVisible();
    await expect(tab.page).toHaveTitle(/^\(3\) /);
  }

  await openChat(ada, bob);
  await expect(ada.page.getByRole('separator', { name: 'New messages' })).toBeVisible();
  for (const tab of [ada, secondTab]) {
    await expect(getFriendRow(tab, bob).getByText('unread')).toHaveCount(0);
    await expect(getFriendRow(tab, eve).getByText('1 unread')).toBeVisible();
    await expect(tab.page).toHaveTitle(/^\(1\) /);
  }
  // The server has also recorded that the messages are read, so the badge is absent after a reload.
  await ada.page.reload();
  await expect(getFriendRow(ada, eve).getByText('1 unread')).toBeVisible();
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
});

test('a message in the open private chat is marked as read only while the tab is visible', async ({
  friendsInChat,
}) => {
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  await openChat(ada, bob);
  await setTabHidden(ada.page, true);
  await seedMessages(bob, ada, 2);
  await expect(ada.message('message number 2')).toBeVisible();
  await expect(getFriendRow(ada, bob).getByText('2 unread')).toBeVisible();

  const firstReadResponse = ada.page.waitForResponse(/\/api\/private-messages\/read\//);
  await setTabHidden(ada.page, false);
  expect((await firstReadResponse).status()).toBe(204);
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
  const rowWithSeparator = getPrivateChat(ada)
    .getByRole('listitem')
    .filter({ has: ada.page.getByRole('separator') });
  await expect(rowWithSeparator).toContainText('message number 1');

  const secondReadResponse = ada.page.waitForResponse(/\/api\/private-messages\/read\//);
  await seedMessages(bob, ada, 1, { text: () => 'seen at once' });
  expect((await secondReadResponse).status()).toBe(204);
  await expect(ada.message('seen at once')).toBeVisible();
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
});

test('with 100 unread messages, the 99+ badge survives a reload, the chat opens at the first, and logout deletes the count', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await seedMessages(bob, ada, 99);
  await expect(getFriendRow(ada, bob).getByText('99 unread')).toBeVisible();
  await seedMessages(bob, ada, 1);
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
  await expect(ada.page).toHaveTitle(/^\(99\+\) /);

  // Until the server responds, the page shows the last known count.
  let respond: (() => void) | undefined;
  const responseReleased = new Promise<void>((resolve) => (respond = resolve));
  await ada.page.route('**/api/private-messages/unread-counts/**', async (route) => {
    await responseReleased;
    await route.continue();
  });
  await ada.page.reload();
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
  respond?.();

  // The chat opens at the first unread message, with a button to the newest.
  await openChat(ada, bob);
  const adaInPrivateChat = inPrivateChat(ada);
  await expect(ada.page.getByRole('separator', { name: 'New messages' })).toBeInViewport();
  await expect(adaInPrivateChat.messages.filter({ has: ada.page.getByRole('separator') })).toBeInViewport();
  await expect(adaInPrivateChat.messages.last()).not.toBeInViewport();
  await ada.button('100 new messages').click();
  await expect(adaInPrivateChat.messages.last()).toBeInViewport();
  await expect(ada.button('100 new messages')).toBeHidden();

  await ada.page.getByRole('button', { name: 'Logout' }).click();
  await expect(ada.page).toHaveURL(/\/auth/);
  const storedKeys = await ada.page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.includes('unread')),
  );
  expect(storedKeys).toEqual([]);
});
