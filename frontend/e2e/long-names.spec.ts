import { type Locator } from '@playwright/test';
import { limits } from '@thaw/contract/limits';
import { openChat, getPrivateChat } from './support/private-chat.ts';
import { expectIntactLayout } from './support/layout.ts';
import { expect, type Person, test } from './support/test.ts';

const isLongRun = process.env.THAW_TEST_LONG === '1';
/** In ascending order, because the steps after each check use the sidebar, which the widest screen shows. */
const allWidths = [320, 390, 768, 1280];
/** Screens from this width show the sidebar beside the chat; narrower ones show it as a modal sheet. */
const wideScreenPx = 768;
/**
 * Names of the largest allowed length, 30 code points. The widest name is checked at every width. The long run
 * (`npm run test:long`) adds names and checks each name at every width.
 */
const names = [
  { kind: '30 wide letters', name: 'W'.repeat(limits.usernameMaxCodePoints), widths: allWidths },
  {
    kind: 'right-to-left letters',
    name: 'عبد الرحمن بن محمد الأندلسي حس',
    widths: isLongRun ? allWidths : [320, 1280],
  },
  ...(isLongRun
    ? [
        { kind: '30 characters with spaces', name: 'Maximiliane von Hohenzollern-S', widths: allWidths },
        { kind: '30 emoji', name: '🦦'.repeat(limits.usernameMaxCodePoints), widths: allWidths },
      ]
    : []),
];

const rename = async ({ page, user }: Person, username: string): Promise<void> => {
  const response = await page.request.put(`/api/user/${user.id}`, { data: { username, avatar: null } });
  expect(response.ok(), 'rename').toBe(true);
};

for (const { kind, name, widths } of names) {
  test(`a name of ${kind} does not break the layout of the chat, its dialogs and the sidebar at ${widths.join(', ')} px`, async ({
    newcomer,
  }) => {
    test.slow();
    const [ada, bob] = await Promise.all([newcomer({ gender: 'female' }), newcomer({ gender: 'male' })]);
    const { page } = ada;
    const atEachWidth = async (check: (width: number) => Promise<void>): Promise<void> => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await check(width);
      }
    };
    const checkLayoutAtEachWidth = (part: Locator, state: string): Promise<void> =>
      atEachWidth(() => expectIntactLayout(part, state));
    const getDialog = (title: string) => page.getByRole('dialog', { name: title });

    await rename(bob, name);
    await rename(ada, name);
    await ada.pressFind();
    await bob.pressFind();
    const chat = page.getByRole('region', { name: /^Chat with/ });
    await expect(chat.getByRole('heading', { name })).toBeVisible();
    await checkLayoutAtEachWidth(page.locator('body'), 'random chat');

    const requestResponse = await bob.page.request.post('/api/friends/request', {
      data: { requesterId: bob.user.id, addresseeId: ada.user.id },
    });
    expect(requestResponse.status(), 'friend request').toBe(201);
    const toast = page.getByRole('listitem').filter({ hasText: 'New friend request' });
    // A toast does not expire while it contains the focus.
    await toast.getByRole('button', { name: 'Accept' }).focus();
    await checkLayoutAtEachWidth(toast, 'toast');

    const friendRequests = getDialog('Friend Requests');
    await page.getByRole('button', { name: /^Friend Requests ?1 pending$/ }).click();
    await expect(friendRequests.getByText(name)).toBeVisible();
    await checkLayoutAtEachWidth(friendRequests, 'requests');
    await friendRequests.getByRole('button', { name: 'Accept' }).click();
    await expect(friendRequests.getByText('No pending friend requests')).toBeVisible();
    await friendRequests.getByRole('button', { name: 'Close' }).click();

    const chatHistory = getDialog('Chat History');
    await ada.button('Chat History').click();
    await expect(chatHistory.getByText(name)).toBeVisible();
    await checkLayoutAtEachWidth(chatHistory, 'history');
    await chatHistory.getByRole('button', { name: 'Close' }).click();

    // The sidebar shows the friend's name in the list and the user's own name below it.
    await atEachWidth(async (width) => {
      const isNarrow = width < wideScreenPx;
      if (isNarrow) await ada.button('Open sidebar').click();
      const sidebar = isNarrow ? getDialog('Sidebar') : page.getByRole('complementary', { name: 'Sidebar' });
      const list = sidebar.getByRole('list', { name: 'Friends', exact: true });
      await expect(list.getByText(name)).toBeVisible();
      for (const control of ['Send Message', 'Remove Friend']) {
        await expect(list.getByRole('button', { name: control })).toBeInViewport({ ratio: 1 });
      }
      await expectIntactLayout(sidebar, 'sidebar');
      if (isNarrow) await sidebar.getByRole('button', { name: 'Close sidebar' }).click();
    });

    const profileSettings = getDialog('Profile Settings');
    await page.getByRole('button', { name: /^Profile Settings:/ }).click();
    await expect(profileSettings.getByLabel('Username')).toHaveValue(name);
    await checkLayoutAtEachWidth(profileSettings, 'profile settings');
    await profileSettings.getByRole('button', { name: 'Close' }).click();

    const privateChat = getPrivateChat(ada);
    await openChat(ada, { name });
    await checkLayoutAtEachWidth(privateChat, 'private chat');
    await privateChat.getByRole('button', { name: /^Close private chat/ }).click();

    await bob.skip();
    await expect(ada.heading('Chat Ended')).toBeVisible();
    await checkLayoutAtEachWidth(page.locator('main'), 'ended chat');
  });
}
