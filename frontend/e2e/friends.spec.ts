import { Connection } from './support/connection.ts';
import { inPrivateChat, openChat, getPrivateChat } from './support/private-chat.ts';
import { expectAccessible } from './support/accessibility.ts';
import { befriend, expect, type Person, test } from './support/test.ts';

const getFriendsList = ({ page }: Person) => page.getByRole('list', { name: 'Friends', exact: true });
const getFriendRow = (person: Person, friend: string) =>
  getFriendsList(person).getByRole('listitem').filter({ hasText: friend });
const getToolbar = ({ page }: Person) => page.getByRole('region', { name: /^Chat with/ }).locator('header');
const getRequestsButton = ({ page }: Person) => page.getByRole('button', { name: /^Friend Requests/ });
const getRequestsDialog = ({ page }: Person) => page.getByRole('dialog', { name: 'Friend Requests' });

/** Expects the button of the friend requests to show this count of pending requests. */
const expectPendingCount = async (person: Person, count: number): Promise<void> => {
  await expect(getRequestsButton(person)).toHaveAccessibleName(
    count === 0 ? 'Friend Requests' : new RegExp(`^Friend Requests ?${count} pending$`),
  );
};

const openRequests = async (person: Person): Promise<void> => {
  await getRequestsButton(person).click();
  await expect(getRequestsDialog(person)).toBeVisible();
};

const closeRequests = async (person: Person): Promise<void> => {
  await getRequestsDialog(person).getByRole('button', { name: 'Close' }).click();
  await expect(getRequestsDialog(person)).toBeHidden();
};

/** Sends a friend request over HTTP, as if from the requester's page. */
const requestFriendship = async (requester: Person, addressee: Person): Promise<void> => {
  const response = await requester.page.request.post('/api/friends/request', {
    data: { requesterId: requester.user.id, addresseeId: addressee.user.id },
  });
  expect(response.status()).toBe(201);
};

/**
 * Records the names of the events that the page dispatches on `window` (§7 of the product specification). They have
 * hyphens, such as `friendship-accepted`. A `websocket-message` stands for a received frame and is recorded under the
 * name of the frame, which has underscores, such as `friendship_accepted`.
 * @returns a function that reads the recorded names
 */
const recordEvents = async ({ page }: Person): Promise<() => Promise<string[]>> => {
  await page.evaluate(() => {
    const events: string[] = [];
    Object.assign(window, { events });
    for (const name of ['friend-request-received', 'friendship-accepted', 'friendship-removed']) {
      window.addEventListener(name, () => events.push(name));
    }
    window.addEventListener('websocket-message', (event) => {
      events.push((event as CustomEvent<{ event: string }>).detail.event);
    });
  });
  return () => page.evaluate(() => (window as unknown as { events: string[] }).events);
};

test('a friend request from the toolbar, and its acceptance, appear on both pages without a reload', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  const [readEventsOfAda, readEventsOfBob] = [await recordEvents(ada), await recordEvents(bob)];
  await expect(ada.heading('Friends (0)')).toBeVisible();
  await expect(ada.page.getByText('No friends yet. Start chatting to make new friends!')).toBeVisible();
  await expectPendingCount(bob, 0);

  // A double click sends one request only.
  await getToolbar(ada).getByRole('button', { name: 'Add Friend' }).dblclick();
  await expect(getToolbar(ada).getByRole('button', { name: 'Sent!' })).toBeDisabled();
  await expect(ada.page.getByText('Friend request sent', { exact: true }).first()).toBeVisible();

  await expectPendingCount(bob, 1);
  await openRequests(bob);
  await expect(getRequestsDialog(bob).getByRole('listitem')).toHaveCount(1);
  await expect(getRequestsDialog(bob).getByText(ada.name)).toBeVisible();
  await getRequestsDialog(bob).getByRole('button', { name: 'Accept' }).click();
  await expect(bob.page.getByText('Request accepted', { exact: true }).first()).toBeVisible();
  await expect(bob.page.getByText('User has been added to your friends.').first()).toBeVisible();
  await expect(getRequestsDialog(bob).getByText('No pending friend requests')).toBeVisible();
  // This uses the Close button, because Escape would close the toast first.
  await closeRequests(bob);
  await expect(getRequestsButton(bob)).toBeFocused();
  await expectPendingCount(bob, 0);

  for (const [person, friend] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    await expect(person.heading('Friends (1)')).toBeVisible();
    await expect(getFriendRow(person, friend.name)).toContainText('Online');
    await expect(getToolbar(person).getByRole('button', { name: 'Friends' })).toBeDisabled();
  }
  expect(await readEventsOfAda()).toEqual(
    expect.arrayContaining(['friendship-accepted', 'friendship_accepted']),
  );
  expect(await readEventsOfBob()).toEqual(
    expect.arrayContaining(['friend-request-received', 'friend_request', 'friendship-accepted']),
  );
});

test('two users who request each other become friends', async ({ pair }) => {
  const [ada, bob] = await pair();
  await getToolbar(ada).getByRole('button', { name: 'Add Friend' }).click();
  await expect(getToolbar(ada).getByRole('button', { name: 'Sent!' })).toBeVisible();
  await expectPendingCount(bob, 1);
  await getToolbar(bob).getByRole('button', { name: 'Add Friend' }).click();
  for (const person of [ada, bob]) {
    await expect(person.heading('Friends (1)')).toBeVisible();
    await expect(getToolbar(person).getByRole('button', { name: 'Friends' })).toBeDisabled();
    await expectPendingCount(person, 0);
  }
});

test('the toast of a friend request accepts it, and the toast of its acceptance opens the private chat', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await requestFriendship(ada, bob);
  const requestToast = bob.page.getByRole('listitem').filter({ hasText: 'New friend request' });
  await expect(requestToast).toContainText(`From ${ada.name}`);
  await requestToast.getByRole('button', { name: 'Accept' }).click();
  await expect(bob.page.getByText('Request accepted', { exact: true }).first()).toBeVisible();
  await expect(bob.heading('Friends (1)')).toBeVisible();

  const acceptanceToast = ada.page.getByRole('listitem').filter({ hasText: 'You have a new friend' });
  await expect(acceptanceToast).toContainText(`${bob.name} accepted your request.`);
  await acceptanceToast.getByRole('button', { name: 'Open' }).click();
  await expect(ada.page.getByRole('region', { name: `Private chat with ${bob.name}` })).toBeVisible();
});

test('after a chat the partner can receive a friend request, and the requester does not see that it is declined', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  // After a chat, the server allows friend requests only to users in the chat history. The worker adds a chat to the
  // history soon after its start.
  await expect
    .poll(async () => {
      const history = await ada.page.request.get(`/api/chat-history/${ada.user.id}`);
      return (await history.json()) as unknown[];
    })
    .toHaveLength(1);
  await bob.skip();
  await expect(ada.heading('Chat Ended')).toBeVisible();
  await ada.button('Add Friend').click();
  await expect(ada.button('Friend Request Sent')).toBeDisabled();

  await expectPendingCount(bob, 1);
  await openRequests(bob);
  await getRequestsDialog(bob).getByRole('button', { name: 'Decline' }).click();
  await expect(bob.page.getByText('Request declined', { exact: true }).first()).toBeVisible();
  await expect(getRequestsDialog(bob).getByText('No pending friend requests')).toBeVisible();
  await closeRequests(bob);
  await expectPendingCount(bob, 0);
  await expect(ada.button('Friend Request Sent')).toBeDisabled();
  await expect(ada.heading('Friends (0)')).toBeVisible();

  // Bob's skip has started a search, so the two are matched again. A declined request can be repeated.
  await ada.button('New Conversation').click();
  await ada.pressFind();
  await expect(ada.heading(bob.name)).toBeVisible();
  await expect(getToolbar(ada).getByRole('button', { name: 'Add Friend' })).toBeEnabled();
});

test.describe('when one name cannot be loaded and the first Accept fails', () => {
  test.use({ expectedErrors: [/status of (404|503)/] });

  test('friend requests of two users are counted, listed, and answered one by one', async ({
    pair,
    newcomer,
  }) => {
    const [ada, bob] = await pair();
    await requestFriendship(bob, ada);
    await expectPendingCount(ada, 1);
    // A skip starts the next search, so Ada waits for Cyd.
    await ada.skip();
    const cyd = await newcomer({ gender: 'male' });
    await cyd.pressFind();
    await expect(ada.heading(cyd.name)).toBeVisible();
    await requestFriendship(cyd, ada);
    await expectPendingCount(ada, 2);

    // After a reload the page requests the names from the server. The placeholder for a missing name is
    // Portuguese for "user", followed by the user id.
    await ada.page.route(`**/api/user/${cyd.user.id}`, (route) => route.fulfill({ status: 404, json: {} }));
    await ada.page.reload();
    await expectPendingCount(ada, 2);
    await openRequests(ada);
    const [fromBob, fromCyd] = [bob.name, `Utilizador #${cyd.user.id}`].map((name) =>
      getRequestsDialog(ada).getByRole('listitem').filter({ hasText: name }),
    );
    await expect(fromCyd!).toBeVisible();

    await ada.page.route('**/api/friends/request/*', (route) => route.fulfill({ status: 503, json: {} }), {
      times: 1,
    });
    await fromBob!.getByRole('button', { name: 'Accept' }).click();
    await expect(ada.page.getByText('Could not respond to request. Please try again.').first()).toBeVisible();
    await fromBob!.getByRole('button', { name: 'Accept' }).click();
    await expect(fromBob!).toBeHidden();
    await fromCyd!.getByRole('button', { name: 'Decline' }).click();
    await expect(getRequestsDialog(ada).getByText('No pending friend requests')).toBeVisible();
    await closeRequests(ada);
    await expectPendingCount(ada, 0);
    await expect(ada.heading('Friends (1)')).toBeVisible();
    await expect(bob.heading('Friends (1)')).toBeVisible();
    await expect(cyd.heading('Friends (0)')).toBeVisible();
  });
});

test('removing a friend closes the private chat on both pages, and the two can become friends again', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  for (const [person, friend] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    await getFriendRow(person, friend.name).getByRole('button', { name: 'Send Message' }).click();
    await expect(person.page.getByRole('region', { name: `Private chat with ${friend.name}` })).toBeVisible();
  }
  await getFriendRow(ada, bob.name).getByRole('button', { name: 'Remove Friend' }).click();
  for (const person of [ada, bob]) {
    await expect(person.page.getByRole('region', { name: /^Private chat with/ })).toBeHidden();
    await expect(person.heading('Friends (0)')).toBeVisible();
  }
  // The random chat, which the private chat covered, continues. There the two users can become friends again.
  await expect(getToolbar(ada).getByRole('button', { name: 'Add Friend' })).toBeEnabled();
  await befriend(ada, bob);
  await expect(ada.heading('Friends (1)')).toBeVisible();
  // The private chat is not opened again.
  await expect(ada.page.getByRole('region', { name: /^Private chat with/ })).toBeHidden();
});

test('a row of the friends list shows the last message, typing, and an unsent draft', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await openChat(bob, ada);
  const { field } = inPrivateChat(bob);
  await field.pressSequentially('did the pie');
  await expect(getFriendRow(ada, bob.name)).toContainText('typing…');
  await openChat(ada, bob);
  // The page sends at most one typing frame every two seconds, so type until the partner sees one.
  const typing = getPrivateChat(ada).getByText(`${bob.name} is typing`);
  await expect(async () => {
    await field.press('a');
    await expect(typing).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await field.fill('did the pie work out??');
  await field.press('Enter');
  await expect(getFriendRow(ada, bob.name)).toContainText('did the pie work out??');
  await expect(typing).toBeHidden();
  await expect(getFriendRow(bob, ada.name)).toContainText('You: did the pie work out??');

  await field.fill('I mean');
  await getPrivateChat(bob)
    .getByRole('button', { name: /^Close private chat/ })
    .click();
  await expect(getFriendRow(bob, ada.name)).toContainText('Draft: I mean');

  // After a reload the page shows the last message although it has not loaded the conversation.
  await ada.page.reload();
  await expect(getFriendRow(ada, bob.name)).toContainText('did the pie work out??');
  await openChat(bob, ada);
  await inPrivateChat(bob).message('did the pie').first().hover();
  await inPrivateChat(bob)
    .message('did the pie')
    .first()
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  await expect(getFriendRow(bob, ada.name)).toContainText('You: Message deleted');
  await expect(getFriendRow(ada, bob.name)).toContainText('Message deleted');
});

test('the friends list follows a friend who goes offline, comes back online, and changes their name', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await expect(getFriendRow(ada, bob.name)).toContainText('Online');
  const contextOfBob = bob.page.context();
  await bob.page.close();
  await expect(getFriendRow(ada, bob.name)).toContainText('Offline');

  const newPage = await contextOfBob.newPage();
  await newPage.goto('/chat');
  await expect(getFriendRow(ada, bob.name)).toContainText('Online');

  const renameResponse = await contextOfBob.request.put(`/api/user/${bob.user.id}`, {
    data: { username: 'Somebody Else', avatar: null },
  });
  expect(renameResponse.status()).toBe(200);
  await expect(getFriendRow(ada, 'Somebody Else')).toBeVisible();
  await expect(getFriendRow(ada, bob.name)).toBeHidden();
  // The friend's own page shows the new name too.
  await expect(newPage.getByRole('button', { name: /^Profile Settings: ?Somebody Else/ })).toBeVisible();
});

test('after a reconnect the page shows that a friendship has ended and that a request has arrived in the meantime', async ({
  friendsInChat,
}) => {
  let network: Connection | undefined;
  const [ada, bob] = await friendsInChat({
    prepare: async (page) => {
      network = await Connection.intercept(page);
    },
  });
  await expect(ada.heading('Friends (1)')).toBeVisible();
  await network?.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  const removalResponse = await bob.page.request.delete(`/api/friends/${bob.user.id}/${ada.user.id}`);
  expect(removalResponse.status()).toBe(204);
  await requestFriendship(bob, ada);
  network?.restore();
  // The page waits up to 16 s before an attempt to reconnect, which is longer than the default timeout of 15 s.
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible({ timeout: 40_000 });
  await expect(ada.heading('Friends (0)')).toBeVisible();
  await expectPendingCount(ada, 1);
});

test('Ctrl+K finds a friend by the first letters of the name, and opens the private chat', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await ada.page.keyboard.press('Control+k');
  const switcher = ada.page.getByRole('dialog', { name: 'Switch to a friend' });
  await expect(switcher.getByRole('combobox')).toBeFocused();
  await expectAccessible(ada.page, 'switcher', { within: '[role="dialog"]' });
  await ada.page.keyboard.type(bob.name.slice(0, 3));
  await expect(switcher.getByRole('option', { selected: true })).toContainText(bob.name);
  await ada.page.keyboard.press('Enter');
  await expect(switcher).toBeHidden();
  await expect(getPrivateChat(ada)).toBeVisible();
  await expect(inPrivateChat(ada).field).toBeFocused();
});

test('a question mark lists the keyboard shortcuts', async ({ friendsInChat }) => {
  const [ada, bob] = await friendsInChat();
  await openChat(ada, bob);
  // In the message field, which has the focus, a question mark is text.
  await getPrivateChat(ada)
    .getByRole('button', { name: /^Close private chat/ })
    .focus();
  await ada.page.keyboard.press('Shift+?');
  const shortcuts = ada.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(shortcuts).toBeVisible();
  await expectAccessible(ada.page, 'shortcuts', { within: '[role="dialog"]' });
  await ada.page.keyboard.press('Escape');
  await expect(shortcuts).toBeHidden();
});
