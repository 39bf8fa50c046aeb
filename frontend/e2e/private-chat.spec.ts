import { limits } from '@thaw/contract/limits';
import { Connection } from './support/connection.ts';
import { expectAccessible, expectAccessibleOnPhoneAndDesktop } from './support/accessibility.ts';
import { befriend, expect, type Person, test } from './support/test.ts';
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

/**
 * Clicks an action in the toolbar of a message, which is shown while the pointer is over the message. The first row
 * with the text is the message; a later row may quote it.
 */
const clickAction = async (person: Person, text: string, action: string): Promise<void> => {
  await person.message(text).first().hover();
  await person.message(text).first().getByRole('button', { name: action, exact: true }).click();
};

test('private messages are delivered to every tab of both friends and survive a reload', async ({
  friendsInChat,
}) => {
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  const secondTab = new PrivateChatUser(await ada.page.context().newPage(), ada.user);
  await secondTab.page.goto('/chat');
  await openChat(ada, bob);
  await openChat(secondTab, bob);
  await openChat(bob, ada);

  await ada.sendMessage('good evening');
  await expect(ada.message('good evening')).toContainText('Sent');
  await expect(bob.message('good evening')).toHaveCount(1);
  await expect(secondTab.message('good evening')).toHaveCount(1);
  await bob.sendMessage('good evening to you');
  await expect(ada.message('good evening to you')).toHaveCount(1);
  await expect(secondTab.message('good evening to you')).toHaveCount(1);
  // Messages within five minutes form a group, which shows the time of only one of them.
  await expect(getPrivateChat(ada).getByRole('listitem').locator('time')).toHaveCount(1);

  await ada.page.reload();
  await openChat(ada, bob);
  await expect(ada.messages).toHaveText([/good evening/, /good evening to you/]);
});

test('replies, edits, reactions and deletions of private messages are shown to both friends', async ({
  friendsInChat,
}) => {
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  await openChat(ada, bob);
  await openChat(bob, ada);
  await ada.sendMessage('shall we meet at eigth');
  await expect(bob.message('shall we meet')).toBeVisible();

  await clickAction(bob, 'shall we meet', 'Reply');
  await bob.sendMessage('gladly');
  await expect(ada.message('gladly')).toContainText('shall we meet at eigth');

  await clickAction(ada, 'shall we meet', 'Edit');
  await expect(ada.field).toHaveValue('shall we meet at eigth');
  await ada.sendMessage('shall we meet at eight');
  await expect(bob.message('shall we meet at eight').first()).toContainText('(edited)');
  // The quote in the reply shows the edited text.
  await expect(bob.message('gladly')).toContainText('shall we meet at eight');

  await clickAction(bob, 'shall we meet', 'React');
  await bob.page.getByRole('button', { name: 'Fire', exact: true }).click();
  const reaction = ada.message('shall we meet').first().getByRole('button', { name: 'Fire, 1' });
  await expect(reaction).toHaveAttribute('aria-pressed', 'false');
  await reaction.click();
  await expect(bob.message('shall we meet').first().getByRole('button', { name: 'Fire, 2' })).toBeVisible();

  await clickAction(ada, 'shall we meet', 'Delete');
  // A deletion can be undone for five seconds. Afterwards it applies to both users.
  await ada.button('Undo').click();
  await expect(ada.message('shall we meet at eight').first()).toContainText('(edited)');
  await clickAction(ada, 'shall we meet', 'Delete');
  await expect(ada.message('Message deleted')).toHaveCount(1);
  await expect(bob.message('Message deleted')).toHaveCount(1);
  await expect(bob.messages.getByText('shall we meet')).toHaveCount(0);
});

test('a photo from a friend is shown without a blur, and is enlarged in the lightbox', async ({
  friendsInChat,
}) => {
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  await openChat(ada, bob);
  await openChat(bob, ada);
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
  let network: Connection | undefined;
  const [ada, bob] = (
    await friendsInChat({
      prepare: async (page) => {
        network = await Connection.intercept(page);
      },
    })
  ).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  await openChat(ada, bob);
  await openChat(bob, ada);
  await ada.sendMessage('first');
  await expect(bob.message('first')).toBeVisible();

  await network?.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  await ada.sendMessage('not yet');
  await expect(ada.page.getByText('Not sent: reconnecting')).toBeVisible();
  await expect(ada.field).toHaveValue('not yet');
  await expect(ada.message('not yet')).toHaveCount(0);
  await bob.sendMessage('meanwhile');
  await expect(bob.message('meanwhile')).toContainText('Sent');

  network?.restore();
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  // After the reconnect the page fetches the messages again.
  await expect(ada.message('meanwhile')).toHaveCount(1);
  network?.dropResponses();
  // The composer still contains 'not yet'.
  await ada.field.press('Enter');
  // The server has stored the message. Only its ack does not reach the page.
  await expect(bob.message('not yet')).toHaveCount(1);
  await expect(ada.message('not yet')).toContainText('Sending');
  network?.deliverResponses();
  await ada.page.reload();
  await openChat(ada, bob);
  await expect(ada.message('not yet').filter({ hasText: 'Sending' })).toHaveCount(0);
  await expect(ada.message('not yet')).toHaveCount(1);
  await expect(bob.message('not yet')).toHaveCount(1);
});

test('a private message without an ack is marked as not delivered, and Retry does not deliver it twice', async ({
  friendsInChat,
}) => {
  let network: Connection | undefined;
  const [ada, bob] = (
    await friendsInChat({
      prepare: async (page) => {
        await page.clock.install();
        network = await Connection.intercept(page);
      },
    })
  ).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  await openChat(ada, bob);
  await openChat(bob, ada);
  network?.dropResponses();
  await ada.sendMessage('are you there?');
  await expect(bob.message('are you there?')).toHaveCount(1);
  await expect(ada.message('are you there?')).toContainText('Sending');
  // While a message has no ack, the page pings a silent connection every three seconds. It receives the pongs, so it
  // does not reconnect. After ten seconds in all, the ack is overdue.
  for (let pings = 1; pings <= 3; pings += 1) {
    await ada.page.clock.runFor(3_000);
    await expect.poll(() => network?.pongCount).toBe(pings);
  }
  await ada.page.clock.runFor(1_000);
  await expect(ada.message('are you there?')).toContainText('Not delivered');
  network?.deliverResponses();
  await ada.button('Retry').click();
  await expect(ada.message('are you there?')).toContainText('Sent');
  await expect(ada.message('are you there?')).toHaveCount(1);
  await bob.sendMessage('always');
  await expect(ada.message('always')).toBeVisible();
  await expect(bob.message('are you there?')).toHaveCount(1);
});

test('each private chat keeps its draft, and the random chat continues while a private chat is open', async ({
  friendsInChat,
  newcomer,
}) => {
  // The same user twice: `adaInRandomChat` acts in the random chat, `ada` in the open private chat.
  const [adaInRandomChat, bob] = await friendsInChat();
  const ada = inPrivateChat(adaInRandomChat);
  await adaInRandomChat.sendMessage('in the random chat');
  await expect(bob.message('in the random chat')).toBeVisible();
  // Ada's skip starts the next search. New Conversation leads Bob only to the start screen, so Ada is matched with Eve.
  await ada.skip();
  await bob.button('New Conversation').click();
  const eve = await newcomer({ gender: 'male' });
  await eve.pressFind();
  await expect(ada.heading(eve.name)).toBeVisible();
  await befriend(ada, eve);

  await openChat(ada, bob);
  await ada.field.fill('half a thought');
  await openChat(ada, eve);
  await expect(ada.field).toHaveValue('');
  await openChat(ada, bob);
  await expect(ada.field).toHaveValue('half a thought');

  // The close button of the private chat announces a message in the random chat, and later the end of that chat.
  await eve.sendMessage('still with me?');
  await expect(ada.button('Close private chat, something is new in the random chat')).toBeVisible();
  await ada.page.keyboard.press('Escape');
  await expect(ada.heading(eve.name)).toBeVisible();
  await expect(adaInRandomChat.message('still with me?')).toBeVisible();
  await openChat(ada, bob);
  await expect(ada.field).toHaveValue('half a thought');
  await eve.skip();
  await expect(getPrivateChat(ada)).toBeVisible();
  await ada.button('Close private chat, something is new in the random chat').click();
  await expect(ada.heading('Chat Ended')).toBeVisible();
});

test('older messages load while scrolling up, and a quote links to a message that is not loaded yet', async ({
  friendsInChat,
}) => {
  test.slow();
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
  // More messages than one page of results, and one more that quotes the third.
  const count = limits.privateMessagesPageSize + 10;
  const ids = await seedMessages(bob, ada, count);
  await seedMessages(bob, ada, 1, { text: () => 'remember this?', replyTo: ids[2] });

  // A chat with unread messages opens at the first of them. That marks them as read, so after
  // a reload the chat opens at its newest message.
  const markedAsRead = ada.page.waitForResponse(/\/api\/private-messages\/read\//);
  await openChat(ada, bob);
  expect((await markedAsRead).status()).toBe(204);
  await ada.page.reload();
  await openChat(ada, bob);
  await expect(ada.message('remember this?')).toBeVisible();
  // `aria-setsize` is the number of messages that the page has loaded.
  await expect(ada.messages.last()).toHaveAttribute('aria-setsize', String(limits.privateMessagesPageSize));
  await ada
    .message('remember this?')
    .getByRole('button', { name: /message number 3/ })
    .click();
  await expect(ada.messages.filter({ hasText: /message number 3$/ })).toBeInViewport();
  await expect(ada.messages.last()).toHaveAttribute('aria-setsize', String(count + 1));
  await ada.button('Jump to the newest message').click();
  await expect(ada.message('remember this?')).toBeInViewport();

  // After a reload only the newest page is loaded. Loading older messages keeps the visible rows in place.
  await ada.page.reload();
  await openChat(ada, bob);
  const list = getPrivateChat(ada).getByRole('region', { name: 'Messages' });
  await expect(ada.message('remember this?')).toBeInViewport();
  // Scrolls to the top, where the page loads the older messages.
  await list.press('Home');
  await expect(ada.messages.last()).toHaveAttribute('aria-setsize', String(count + 1));
  // Of `count + 1` messages in all, the newest page begins with this one. It stays visible.
  const firstOfPage = count + 1 - limits.privateMessagesPageSize + 1;
  await expect(
    ada.messages.filter({ hasText: new RegExp(`message number ${firstOfPage}$`) }),
  ).toBeInViewport();
});

test('the private chat passes the accessibility checks in both themes, on phone and desktop', async ({
  friendsInChat,
}) => {
  test.slow();
  const [ada, bob] = (await friendsInChat()).map(inPrivateChat) as [PrivateChatUser, PrivateChatUser];
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
