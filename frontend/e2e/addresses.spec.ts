import { readFileSync } from 'node:fs';
import { type Page } from '@playwright/test';
import { befriend, expect, test, type Person } from './support/test.ts';

const picture = readFileSync(new URL('../public/icon-192.png', import.meta.url));

const openFriendChat = ({ page }: Person): Promise<void> =>
  page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('button', { name: 'Send Message' })
    .click();

const getFriendChat = ({ page }: Person, friend: Person) =>
  page.getByRole('region', { name: `Private chat with ${friend.name}` });

/** Visits the landing page before /chat, so that Back can leave /chat. */
const viaLandingPage = { prepare: async (page: Page) => void (await page.goto('/')) };

test("a friend's chat has an address: Back closes it, Forward and a reload reopen it", async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat(viaLandingPage);
  // Ends their random chat. New Conversation then returns Ada to the start screen.
  await bob.skip();
  await ada.button('New Conversation').click();
  await openFriendChat(ada);
  await expect(ada.page).toHaveURL(`/chat?friend=${bob.user.id}`);
  await expect(getFriendChat(ada, bob)).toBeVisible();
  await ada.page.reload();
  await expect(getFriendChat(ada, bob)).toBeVisible();
  await ada.page.goBack();
  await expect(ada.page).toHaveURL('/chat');
  await expect(ada.heading('Ready to chat?')).toBeVisible();
  await ada.page.goForward();
  await expect(getFriendChat(ada, bob)).toBeVisible();
  await ada.page.goBack();
  await expect(ada.heading('Ready to chat?')).toBeVisible();

  // Closing the chat with Escape removes its entry from the browser history, so Back leaves /chat.
  await openFriendChat(ada);
  await expect(getFriendChat(ada, bob)).toBeVisible();
  await ada.page.keyboard.press('Escape');
  await expect(ada.page).toHaveURL('/chat');
  await ada.page.goBack();
  await expect(ada.page).toHaveURL('/');
});

test('the address of a private chat with a user who is not a friend opens /chat without a private chat', async ({
  newcomer,
}) => {
  const ada = await newcomer();
  const nonFriendId = 999_999;
  await ada.page.goto(`/chat?friend=${nonFriendId}`);
  await expect(ada.heading('Ready to chat?')).toBeVisible();
  await expect(ada.page).toHaveURL('/chat');
});

test('Back and the Close button close each dialog; the chat goes on, and no history entry is left', async ({
  pair,
}) => {
  const [ada, bob] = await pair(viaLandingPage);
  const { page } = ada;
  const dialogs = [
    { opener: ada.button('Chat History'), name: 'Chat History', address: '/chat?dialog=history' },
    {
      opener: page.getByRole('button', { name: /^Friend Requests/ }),
      name: 'Friend Requests',
      address: '/chat?dialog=requests',
    },
    {
      opener: page.getByRole('button', { name: /^Profile Settings: / }),
      name: 'Profile Settings',
      address: '/chat?dialog=settings',
    },
  ];
  for (const { opener, name, address } of dialogs) {
    await opener.click();
    await expect(page.getByRole('dialog', { name })).toBeVisible();
    await expect(page).toHaveURL(address);
    await page.goBack();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(page).toHaveURL('/chat');
    await opener.click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(page).toHaveURL('/chat');
  }
  await expect(ada.heading(bob.name)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/');
});

test('on a phone Back closes the open sidebar, or the chat that was opened from the sidebar', async ({
  pair,
}) => {
  const [ada, bob] = await pair({ ...viaLandingPage, viewport: { width: 390, height: 844 } });
  await befriend(ada, bob);
  const { page } = ada;
  const sidebar = page.getByRole('dialog', { name: 'Sidebar' });
  await ada.button('Open sidebar').click();
  await expect(sidebar).toBeVisible();
  await page.goBack();
  await expect(sidebar).toBeHidden();
  await expect(ada.heading(bob.name)).toBeVisible();

  await ada.button('Open sidebar').click();
  await openFriendChat(ada);
  await expect(page).toHaveURL(`/chat?friend=${bob.user.id}`);
  await expect(sidebar).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL('/chat');
  await expect(sidebar).toBeHidden();

  // Widening the window closes the open sidebar; narrowing it again does not reopen it.
  await ada.button('Open sidebar').click();
  await page.setViewportSize({ width: 844, height: 390 });
  await expect(sidebar).toBeHidden();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(ada.button('Open sidebar')).toBeVisible();
  await expect(sidebar).toBeHidden();
});

test('Back or Escape closes a photo and stays in the chat', async ({ pair }) => {
  const [ada, bob] = await pair(viaLandingPage);
  const { page } = ada;
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: picture });
  await ada.button('Send').click();
  const photo = ada.messages.getByRole('button', { name: /^Open: / });
  await expect(photo).toBeVisible();
  for (const close of [() => page.goBack(), () => page.keyboard.press('Escape')]) {
    await photo.click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await close();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(ada.heading(bob.name)).toBeVisible();
  }
});
