import { type Page } from '@playwright/test';
import { limits } from '@thaw/contract/limits';
import { Connection } from './support/connection.ts';
import { expectAccessible, expectAccessibleOnPhoneAndDesktop } from './support/accessibility.ts';
import { befriend, expect, type NewcomerOptions, type Person, test } from './support/test.ts';
import {
  PrivateChatUser,
  inPrivateChat,
  openChat,
  getPrivateChat,
  seedMessages,
} from './support/private-chat.ts';

/** A small PNG. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC',
  'base64',
);

/** Opens the private chat of two friends on the pages of both. */
const openOnBothPages = async (
  friends: readonly [Person, Person],
): Promise<[PrivateChatUser, PrivateChatUser]> => {
  const [ada, bob] = [inPrivateChat(friends[0]), inPrivateChat(friends[1])];
  await openChat(ada, bob);
  await openChat(bob, ada);
  return [ada, bob];
};

/**
 * Opens the private chat of two friends. The test controls the network of Ada, the first of them.
 * @param preparePage  runs before Ada's page opens
 */
const openWithNetwork = async (
  friendsInChat: (first: NewcomerOptions) => Promise<[Person, Person]>,
  preparePage?: (page: Page) => Promise<void>,
): Promise<{ ada: PrivateChatUser; bob: PrivateChatUser; network: Connection }> => {
  let network: Connection | undefined;
  const friends = await friendsInChat({
    prepare: async (page) => {
      await preparePage?.(page);
      network = await Connection.intercept(page);
    },
  });
  if (!network) throw new Error("Ada's page was opened without an interception");
  const [ada, bob] = await openOnBothPages(friends);
  return { ada, bob, network };
};

/** Locates a message by its text. Replies that quote it contain the same text, but follow later. */
const findOriginal = (person: Person, text: string) => person.message(text).first();

/** Clicks an action in the toolbar of a message, which is shown while the pointer is over the message. */
const clickAction = async (person: Person, text: string, action: string): Promise<void> => {
  await findOriginal(person, text).hover();
  await findOriginal(person, text).getByRole('button', { name: action, exact: true }).click();
};

test('private messages are delivered to every tab of both friends and survive a reload', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await openOnBothPages(await friendsInChat());
  const secondTab = new PrivateChatUser(await ada.page.context().newPage(), ada.user);
  await secondTab.page.goto('/chat');
  await openChat(secondTab, bob);

  await ada.sendMessage('good evening');
  await expect(ada.message('good evening')).toContainText('Sent');
  await expect(bob.message('good evening')).toHaveCount(1);
  await expect(secondTab.message('good evening')).toHaveCount(1);
  await bob.sendMessage('good evening to you');
  await expect(ada.message('good evening to you')).toHaveCount(1);
  await expect(secondTab.message('good evening to you')).toHaveCount(1);
  // Only one of the two messages shows its time, because messages within five minutes form a group.
  await expect(getPrivateChat(ada).getByRole('listitem').locator('time')).toHaveCount(1);

  await ada.page.reload();
  await openChat(ada, bob);
  await expect(ada.messages).toHaveText([/good evening/, /good evening to you/]);
});

test('replies, edits and reactions in a private chat reach both friends', async ({ friendsInChat }) => {
  const [ada, bob] = await openOnBothPages(await friendsInChat());
  await ada.sendMessage('shall we meet at eigth');
  await expect(bob.message('shall we meet')).toBeVisible();

  await clickAction(bob, 'shall we meet', 'Reply');
  await bob.sendMessage('gladly');
  await expect(ada.message('gladly')).toContainText('shall we meet at eigth');

  await clickAction(ada, 'shall we meet', 'Edit');
  await expect(ada.field).toHaveValue('shall we meet at eigth');
  await ada.sendMessage('shall we meet at eight');
  await expect(findOriginal(bob, 'shall we meet at eight')).toContainText('(edited)');
  // The quote in the reply shows the edited text.
  await expect(bob.message('gladly')).toContainText('shall we meet at eight');

  await clickAction(bob, 'shall we meet', 'React');
  await bob.page.getByRole('button', { name: 'Fire', exact: true }).click();
  const reaction = findOriginal(ada, 'shall we meet').getByRole('button', { name: 'Fire, 1' });
  await expect(reaction).toHaveAttribute('aria-pressed', 'false');
  await reaction.click();
  await expect(findOriginal(bob, 'shall we meet').getByRole('button', { name: 'Fire, 2' })).toBeVisible();
});

test('the deletion of a private message can be undone, and later removes its text and quotes for both friends', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await openOnBothPages(await friendsInChat());
  await ada.sendMessage('shall we meet');
  await expect(bob.message('shall we meet')).toBeVisible();
  await clickAction(bob, 'shall we meet', 'Reply');
  await bob.sendMessage('gladly');
  await expect(ada.message('gladly')).toContainText('shall we meet');
  await clickAction(ada, 'shall we meet', 'Edit');
  await expect(ada.field).toHaveValue('shall we meet');
  await ada.sendMessage('shall we meet at eight');
  await expect(findOriginal(ada, 'shall we meet at eight')).toContainText('(edited)');

  await clickAction(ada, 'shall we meet', 'Delete');
  await ada.button('Undo').click();
  await expect(findOriginal(ada, 'shall we meet at eight')).toContainText('(edited)');

  // Five seconds later, the deletion can no longer be undone and is sent to the server.
  await clickAction(ada, 'shall we meet', 'Delete');
  await expect(ada.message('Message deleted')).toHaveCount(1);
  await expect(bob.message('Message deleted')).toHaveCount(1);
  await expect(bob.messages.getByText('shall we meet')).toHaveCount(0);
});

test('a photo from a friend is shown without a blur, and is enlarged in the lightbox', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await openOnBothPages(await friendsInChat());
  await getPrivateChat(ada)
    .locator('input[type=file]')
    .setInputFiles({ name: 'lake.png', mimeType: 'image/png', buffer: picture });
  await ada.sendMessage('the lake this morning');
  const row = bob.message('the lake this morning');
  await expect(row.getByRole('img')).toBeVisible();
  await expect(row.getByRole('img')).toHaveAttribute('src', /\/api\/files\/chat-images\/private-chat\//);
  await row.getByRole('button', { name: /^Open/ }).click();
  const lightbox = bob.page.getByRole('dialog');
  await expect(lightbox.getByRole('img')).toBeVisible();
  await bob.page.keyboard.press('Escape');
  await expect(lightbox).toBeHidden();
  await expect(getPrivateChat(bob)).toBeVisible();
});

test('an offline message stays in the composer, and is then delivered once although its ack is lost', async ({
  friendsInChat,
}) => {
  const { ada, bob, network } = await openWithNetwork(friendsInChat);
  await ada.sendMessage('first');
  await expect(bob.message('first')).toBeVisible();

  await network.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  await ada.sendMessage('not yet');
  await expect(ada.page.getByText('Not sent: reconnecting')).toBeVisible();
  await expect(ada.field).toHaveValue('not yet');
  await expect(ada.message('not yet')).toHaveCount(0);
  await bob.sendMessage('meanwhile');
  await expect(bob.message('meanwhile')).toContainText('Sent');

  network.restore();
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  // After the reconnect the page fetches the messages again.
  await expect(ada.message('meanwhile')).toHaveCount(1);
  // The server now stores 'not yet', which is still in the composer, but the ack does not reach the page.
  network.dropResponses();
  await ada.field.press('Enter');
  await expect(bob.message('not yet')).toHaveCount(1);
  await expect(ada.message('not yet')).toContainText('Sending');
  network.deliverResponses();
  await ada.page.reload();
  await openChat(ada, bob);
  await expect(ada.message('not yet').filter({ hasText: 'Sending' })).toHaveCount(0);
  await expect(ada.message('not yet')).toHaveCount(1);
  await expect(bob.message('not yet')).toHaveCount(1);
});

test('a private message without an ack is marked as not delivered, and Retry does not deliver it twice', async ({
  friendsInChat,
}) => {
  const { ada, bob, network } = await openWithNetwork(friendsInChat, (page) => page.clock.install());
  network.dropResponses();
  await ada.sendMessage('are you there?');
  await expect(bob.message('are you there?')).toHaveCount(1);
  await expect(ada.message('are you there?')).toContainText('Sending');
  // While a message has no ack, the page pings a silent connection every three seconds. Pongs are not dropped, so the
  // page stays connected. The ack is overdue after ten seconds in all.
  for (let pings = 1; pings <= 3; pings += 1) {
    await ada.page.clock.runFor(3_000);
    await expect.poll(() => network.pongCount).toBe(pings);
  }
  await ada.page.clock.runFor(1_000);
  await expect(ada.message('are you there?')).toContainText('Not delivered');
  network.deliverResponses();
  await ada.button('Retry').click();
  await expect(ada.message('are you there?')).toContainText('Sent');
  await expect(ada.message('are you there?')).toHaveCount(1);
  await bob.sendMessage('always');
  await expect(ada.message('always')).toBeVisible();
  await expect(bob.message('are you there?')).toHaveCount(1);
});

/** Ends the random chat of Ada and Bob, starts one of Ada and a new user, Eve, and makes these two friends. */
const moveOnToEve = async (
  ada: Person,
  bob: Person,
  newcomer: (options: NewcomerOptions) => Promise<Person>,
): Promise<Person> => {
  // Ada's skip starts the next search. New Conversation leads Bob only to the start screen, so Ada is matched with Eve.
  await ada.skip();
  await bob.button('New Conversation').click();
  const eve = await newcomer({ gender: 'male' });
  await eve.pressFind();
  await expect(ada.heading(eve.name)).toBeVisible();
  await befriend(ada, eve);
  return eve;
};

test('each private chat keeps its draft, also while it is closed', async ({ friendsInChat, newcomer }) => {
  const [adaInRandomChat, bob] = await friendsInChat();
  const ada = inPrivateChat(adaInRandomChat);
  const eve = await moveOnToEve(ada, bob, newcomer);
  await openChat(ada, bob);
  await ada.field.fill('half a thought');
  await openChat(ada, eve);
  await expect(ada.field).toHaveValue('');
  await openChat(ada, bob);
  await expect(ada.field).toHaveValue('half a thought');

  await ada.page.keyboard.press('Escape');
  await expect(ada.heading(eve.name)).toBeVisible();
  await openChat(ada, bob);
  await expect(ada.field).toHaveValue('half a thought');
});

test('the random chat continues while a private chat is open, which announces its messages and its end', async ({
  friendsInChat,
  newcomer,
}) => {
  // The same user twice: `adaInRandomChat` acts in the random chat, `ada` in the open private chat.
  const [adaInRandomChat, bob] = await friendsInChat();
  const ada = inPrivateChat(adaInRandomChat);
  await adaInRandomChat.sendMessage('in the random chat');
  await expect(bob.message('in the random chat')).toBeVisible();
  const eve = await moveOnToEve(ada, bob, newcomer);
  await openChat(ada, bob);

  await eve.sendMessage('still with me?');
  await expect(ada.button('Close private chat, something is new in the random chat')).toBeVisible();
  await ada.page.keyboard.press('Escape');
  await expect(ada.heading(eve.name)).toBeVisible();
  await expect(adaInRandomChat.message('still with me?')).toBeVisible();

  await openChat(ada, bob);
  await eve.skip();
  await expect(getPrivateChat(ada)).toBeVisible();
  await ada.button('Close private chat, something is new in the random chat').click();
  await expect(ada.heading('Chat Ended')).toBeVisible();
});

/** Messages of a long chat: more than one page of results, and at the end one that quotes an early one. */
const LONG_CHAT_COUNT = limits.privateMessagesPageSize + 11;

/** Expects the page to have loaded this number of messages, which is the `aria-setsize` of every row. */
const expectLoaded = (user: PrivateChatUser, count: number): Promise<void> =>
  expect(user.messages.last()).toHaveAttribute('aria-setsize', String(count));

/** Sends the messages of a long chat, and opens it at its newest message, "remember this?", which quotes number 3. */
const openLongChat = async (ada: PrivateChatUser, bob: Person): Promise<void> => {
  const ids = await seedMessages(bob, ada, LONG_CHAT_COUNT - 1);
  await seedMessages(bob, ada, 1, { text: () => 'remember this?', replyTo: ids[2] });
  // A chat with unread messages opens at the first of them. Once they are marked as read, it opens at the newest one.
  const markedAsRead = ada.page.waitForResponse(/\/api\/private-messages\/read\//);
  await openChat(ada, bob);
  expect((await markedAsRead).status()).toBe(204);
  await ada.page.reload();
  await openChat(ada, bob);
  await expect(ada.message('remember this?')).toBeVisible();
};

test('a quote in a private chat links to a message that is not loaded yet', async ({ friendsInChat }) => {
  test.slow();
  const [adaInRandomChat, bob] = await friendsInChat();
  const ada = inPrivateChat(adaInRandomChat);
  await openLongChat(ada, bob);
  await expectLoaded(ada, limits.privateMessagesPageSize);
  await ada
    .message('remember this?')
    .getByRole('button', { name: /message number 3/ })
    .click();
  await expect(ada.messages.filter({ hasText: /message number 3$/ })).toBeInViewport();
  await expectLoaded(ada, LONG_CHAT_COUNT);
  await ada.button('Jump to the newest message').click();
  await expect(ada.message('remember this?')).toBeInViewport();
});

test('a scroll to the top of a private chat loads older messages and keeps the visible rows in place', async ({
  friendsInChat,
}) => {
  test.slow();
  const [adaInRandomChat, bob] = await friendsInChat();
  const ada = inPrivateChat(adaInRandomChat);
  await openLongChat(ada, bob);
  await expect(ada.message('remember this?')).toBeInViewport();
  await expectLoaded(ada, limits.privateMessagesPageSize);
  // Messages are numbered from 1, so the newest page begins with this number.
  const firstLoaded = LONG_CHAT_COUNT - limits.privateMessagesPageSize + 1;
  await getPrivateChat(ada).getByRole('region', { name: 'Messages' }).press('Home');
  await expectLoaded(ada, LONG_CHAT_COUNT);
  await expect(
    ada.messages.filter({ hasText: new RegExp(`message number ${firstLoaded}$`) }),
  ).toBeInViewport();
});

test('the private chat passes the accessibility checks in both themes, on phone and desktop', async ({
  friendsInChat,
}) => {
  test.slow();
  const [adaInRandomChat, bob] = await friendsInChat();
  const ada = inPrivateChat(adaInRandomChat);
  await seedMessages(bob, ada, 3);
  await expect(ada.page.getByText('3 unread')).toBeVisible();
  await openChat(ada, bob);
  await ada.sendMessage('and one of mine');
  await expect(ada.message('and one of mine')).toContainText('Sent');
  await expect(ada.page.getByRole('separator', { name: 'New messages' })).toBeVisible();
  await expectAccessibleOnPhoneAndDesktop(ada.page, 'private chat');
  await clickAction(ada, 'and one of mine', 'Delete');
  await expect(ada.button('Undo')).toBeVisible();
  await expectAccessible(ada.page, 'delete a message', { within: 'main' });
});
