import { befriend, expect, test } from './support/test.ts';
import { openChat, seedMessages } from './support/private-chat.ts';

test('the title and icon of the tab show the state of the chat and the unread messages, but no message text', async ({
  newcomer,
}) => {
  const ada = await newcomer({ gender: 'female' });
  const icon = ada.page.locator('link[rel="icon"]');
  await expect(ada.page).toHaveTitle('Chat · Thaw');
  await expect(icon).toHaveAttribute('href', '/favicon.svg');
  await ada.pressFind();
  await expect(ada.page).toHaveTitle('Looking for someone... · Thaw');
  await expect(icon).toHaveAttribute('href', '/favicon/searching.svg');
  // For an unknown address the server would return an HTML document instead of the icon.
  expect((await ada.page.request.get('/favicon/searching.svg')).headers()['content-type']).toContain('svg');

  const bob = await newcomer({ gender: 'male' });
  await bob.pressFind();
  await expect(ada.page).toHaveTitle(`Chatting with ${bob.name} · Thaw`);
  await expect(icon).toHaveAttribute('href', '/favicon/active.svg');
  await befriend(ada, bob);
  await seedMessages(bob, ada, 2, { text: () => 'the secret' });
  await expect(ada.page).toHaveTitle(`(2) Chatting with ${bob.name} · Thaw`);
  // The variant `-calling` has a dot, which calls for attention: something is unread.
  await expect(icon).toHaveAttribute('href', '/favicon/active-calling.svg');
  expect(await ada.page.title()).not.toContain('secret');

  await openChat(ada, bob);
  await expect(ada.page).toHaveTitle(`Chatting with ${bob.name} · Thaw`);
  await bob.skip();
  await expect(ada.page).toHaveTitle('Chat Ended · Thaw');
  await expect(icon).toHaveAttribute('href', '/favicon/skipped.svg');
});
