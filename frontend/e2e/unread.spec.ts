import { befriend, expect, Person, test } from './support/test.ts';
import {
  type PrivateChatUser,
  toPrivateChatUser,
  openChat,
  getPrivateChat,
  seedMessages,
} from './support/private-chat.ts';

/** A friend's row in the sidebar. */
const getFriendRow = ({ page }: Person, friend: Person) =>
  page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('listitem')
    .filter({ hasText: friend.name });

const setHidden = (page: Person['page'], isHidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (hidden ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);

test('a badge counts unread messages of each friend; opening the chat clears it in every tab', async ({
  friends,
  newcomer,
}) => {
  const [ada, bob] = await friends();
  await ada.skip();
  const eve = await newcomer({ gender: 'male' });
  await eve.pressFind();
  await expect(ada.heading(eve.name)).toBeVisible();
  await befriend(ada, eve);
  const second = new Person(await ada.page.context().newPage(), ada.user);
  await second.page.goto('/chat');
  await expect(getFriendRow(second, eve)).toBeVisible();

  await seedMessages(bob, ada, 2);
  await seedMessages(eve, ada, 1);
  for (const tab of [ada, second]) {
    await expect(getFriendRow(tab, bob).getByText('2 unread')).toBeVisible();
    await expect(getFriendRow(tab, eve).getByText('1 unread')).toBeVisible();
    await expect(tab.page).toHaveTitle(/^\(3\) /);
  }

  await openChat(ada, bob);
  await expect(ada.page.getByRole('separator', { name: 'New messages' })).toBeVisible();
  for (const tab of [ada, second]) {
    await expect(getFriendRow(tab, bob).getByText('unread')).toHaveCount(0);
    await expect(getFriendRow(tab, eve).getByText('1 unread')).toBeVisible();
    await expect(tab.page).toHaveTitle(/^\(1\) /);
  }
  // The server has recorded it, too: a reload brings no badge back.
  await ada.page.reload();
  await expect(getFriendRow(ada, eve).getByText('1 unread')).toBeVisible();
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
});

test('a message in the open chat is read while the tab is visible, and stays unread while it is not', async ({
  friends,
}) => {
  const [ada, bob] = (await friends()).map(toPrivateChatUser) as [PrivateChatUser, PrivateChatUser];
  await openChat(ada, bob);
  await setHidden(ada.page, true);
  await seedMessages(bob, ada, 2);
  await expect(ada.message('message number 2')).toBeVisible();
  await expect(getFriendRow(ada, bob).getByText('2 unread')).toBeVisible();

  const read = ada.page.waitForResponse(/\/api\/private-messages\/read\//);
  await setHidden(ada.page, false);
  expect((await read).status()).toBe(204);
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
  const divided = getPrivateChat(ada)
    .getByRole('listitem')
    .filter({ has: ada.page.getByRole('separator') });
  await expect(divided).toContainText('message number 1');

  const again = ada.page.waitForResponse(/\/api\/private-messages\/read\//);
  await seedMessages(bob, ada, 1, { text: () => 'seen at once' });
  expect((await again).status()).toBe(204);
  await expect(ada.message('seen at once')).toBeVisible();
  await expect(getFriendRow(ada, bob).getByText('unread')).toHaveCount(0);
});

// The socket may report the logout before the page has its response; it then checks once who is signed in.
test.use({ expectedErrors: [/status of 401/] });

test('up to 99 unread messages are counted, more are 99+; counts are shown at first paint and removed on logout', async ({
  friends,
}) => {
  const [ada, bob] = await friends();
  await seedMessages(bob, ada, 99);
  await expect(getFriendRow(ada, bob).getByText('99 unread')).toBeVisible();
  await seedMessages(bob, ada, 1);
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
  await expect(ada.page).toHaveTitle(/^\(99\+\) /);

  // Before the server responds, the last known count is shown.
  let respond: (() => void) | undefined;
  const heldResponse = new Promise<void>((resolve) => (respond = resolve));
  await ada.page.route('**/api/private-messages/unread-counts/**', async (route) => {
    await heldResponse;
    await route.continue();
  });
  await ada.page.reload();
  await expect(getFriendRow(ada, bob).getByText('99+ unread')).toBeVisible();
  respond?.();

  // The chat opens at the first unread message, with a button to the newest.
  await openChat(ada, bob);
  const inChat = toPrivateChatUser(ada);
  await expect(ada.page.getByRole('separator', { name: 'New messages' })).toBeInViewport();
  await expect(inChat.messages.filter({ has: ada.page.getByRole('separator') })).toBeInViewport();
  await expect(inChat.messages.last()).not.toBeInViewport();
  await ada.button('100 new messages').click();
  await expect(inChat.messages.last()).toBeInViewport();
  await expect(ada.button('100 new messages')).toBeHidden();

  await ada.page.getByRole('button', { name: 'Logout' }).click();
  await expect(ada.page).toHaveURL(/\/auth/);
  const kept = await ada.page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.includes('unread')),
  );
  expect(kept).toEqual([]);
});
