import { readFileSync } from 'node:fs';
import { type Page } from '@playwright/test';
import { expect, test, type Person } from './support/test.ts';

const picture = readFileSync(new URL('../public/icon-192.png', import.meta.url));

const openFriendChat = ({ page }: Person): Promise<void> =>
  page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('button', { name: 'Send Message' })
    .click();

const getFriendChat = ({ page }: Person, friend: Person) =>
  page.getByRole('region', { name: `Private chat with ${friend.name}` });

const getSidebar = ({ page }: Person) => page.getByRole('dialog', { name: 'Sidebar' });

/** Visits the landing page before /chat, so that Back can leave /chat. */
const viaLandingPage = {
  prepare: async (page: Page): Promise<void> => {
    await page.goto('/');
  },
};

const phone = { viewport: { width: 390, height: 844 } };

/** Ends the random chat of the two, and returns the person to the start screen. */
const leaveRandomChat = async (person: Person, partner: Person): Promise<void> => {
  await partner.skip();
  await person.button('New Conversation').click();
};

test("a friend's chat has an address: Back closes it, Forward and a reload reopen it", async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat(viaLandingPage);
  await leaveRandomChat(ada, bob);
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
});

test("Escape closes a friend's chat and removes it from the browser history, so that Back leaves /chat", async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat(viaLandingPage);
  await leaveRandomChat(ada, bob);
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

test('on a phone Back closes the open sidebar and stays in the chat', async ({ pair }) => {
  const [ada, bob] = await pair({ ...viaLandingPage, ...phone });
  const { page } = ada;
  const sidebar = getSidebar(ada);
  await ada.button('Open sidebar').click();
  await expect(sidebar).toBeVisible();
  await page.goBack();
  await expect(sidebar).toBeHidden();
  await expect(ada.heading(bob.name)).toBeVisible();
});

test('on a phone Back closes a chat that was opened from the sidebar, and does not reopen the sidebar', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat({ ...viaLandingPage, ...phone });
  const { page } = ada;
  const sidebar = getSidebar(ada);
  await ada.button('Open sidebar').click();
  await openFriendChat(ada);
  await expect(page).toHaveURL(`/chat?friend=${bob.user.id}`);
  await expect(sidebar).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL('/chat');
  await expect(sidebar).toBeHidden();
});

test('turning a phone closes the open sidebar, and turning it back does not reopen it', async ({ pair }) => {
  const [ada] = await pair({ ...viaLandingPage, ...phone });
  const { page } = ada;
  const sidebar = getSidebar(ada);
  await ada.button('Open sidebar').click();
  await expect(sidebar).toBeVisible();
  await page.setViewportSize({ width: 844, height: 390 });
  await expect(sidebar).toBeHidden();
  await page.setViewportSize(phone.viewport);
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
