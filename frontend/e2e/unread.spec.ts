import { befriend, expect, Person, test } from './support/test.ts';
import { type PrivateChatUser, inPrivateChat, openChat, seedMessages } from './support/private-chat.ts';

// On logout, the server may close the socket before it responds to the request. The page then requests its user and
// gets 401.
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

/** Waits until the page has marked the messages of an open chat as read. */
const waitUntilMarkedAsRead = async ({ page }: Person): Promise<void> => {
  const response = await page.waitForResponse(/\/api\/private-messages\/read\//);
  expect(response.status()).toBe(204);
};

const unreadCountsUrl = '**/api/private-messages/unread-counts/**';

/** Holds back the unread counts of the server. @returns a function that releases them */
const holdUnreadCounts = async ({ page }: Person): Promise<() => void> => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(unreadCountsUrl, async (route) => {
    await released;
    await route.continue();
  });
  return release;
};

const listStoredUnreadKeys = ({ page }: Person): Promise<string[]> =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('unread')));

test('a badge counts unread messages of each friend; opening the chat clears it in every tab', async ({
  friendsInChat,
  newcomer,
}) => {
  const [ada, bob] = await friendsInChat();
  // Only users who had a chat can become friends, so Ada leaves Bob for a chat with Eve.
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

  const earlierMessagesRead = waitUntilMarkedAsRead(ada);
  await setTabHidden(ada.page, false);
  await earlierMessagesRead;
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
  // The separator 'New messages' is above the first message that arrived while the tab was hidden.
  const rowWithSeparator = ada.messages.filter({ has: ada.page.getByRole('separator') });
  await expect(rowWithSeparator).toContainText('message number 1');

  const newMessageRead = waitUntilMarkedAsRead(ada);
  await seedMessages(bob, ada, 1, { text: () => 'seen at once' });
  await newMessageRead;
  await expect(ada.message('seen at once')).toBeVisible();
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
});

test('a badge shows at most 99+, and also after a reload before the server has responded', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await seedMessages(bob, ada, 99);
  await expect(getFriendRow(ada, bob).getByText('99 unread')).toBeVisible();
  await seedMessages(bob, ada, 1);
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
  await expect(ada.page).toHaveTitle(/^\(99\+\) /);

  const releaseUnreadCounts = await holdUnreadCounts(ada);
  await ada.page.reload();
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
  const unreadCountsResponse = ada.page.waitForResponse(unreadCountsUrl);
  releaseUnreadCounts();
  await unreadCountsResponse;
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
});

test('with 100 unread messages, a private chat opens at the first of them, with a button to the newest', async ({
  friendsInChat,
}) => {
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  await seedMessages(bob, ada, 100);
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
  await openChat(ada, bob);
  await expect(ada.page.getByRole('separator', { name: 'New messages' })).toBeInViewport();
  await expect(ada.messages.filter({ has: ada.page.getByRole('separator') })).toBeInViewport();
  await expect(ada.messages.last()).not.toBeInViewport();
  await ada.button('100 new messages').click();
  await expect(ada.messages.last()).toBeInViewport();
  await expect(ada.button('100 new messages')).toBeHidden();
});

test('logging out deletes the stored unread counts', async ({ friendsInChat }) => {
  const [ada, bob] = await friendsInChat();
  await seedMessages(bob, ada, 1);
  await expect(getFriendRow(ada, bob).getByText('1 unread')).toBeVisible();
  await expect.poll(() => listStoredUnreadKeys(ada)).toHaveLength(1);
  await ada.button('Logout').click();
  await expect(ada.page).toHaveURL(/\/auth/);
  expect(await listStoredUnreadKeys(ada)).toEqual([]);
});
