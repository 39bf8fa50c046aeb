import { limits } from '@thaw/contract/limits';
import { openChat, getPrivateChat } from './support/private-chat.ts';
import { expectIntactLayout } from './support/layout.ts';
import { expect, type Person, test } from './support/test.ts';

const isLongRun = process.env.THAW_TEST_LONG === '1';
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
    const checkAtEachWidth = async (check: (width: number) => Promise<void>): Promise<void> => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await check(width);
      }
    };
    const getDialog = (title: string) => page.getByRole('dialog', { name: title });
    await rename(bob, name);
    await rename(ada, name);
    await ada.pressFind();
    await bob.pressFind();
    const chat = page.getByRole('region', { name: /^Chat with/ });
    await expect(chat.getByRole('heading', { name })).toBeVisible();
    await checkAtEachWidth(() => expectIntactLayout(page.locator('body'), 'random chat'));

    const requestResponse = await bob.page.request.post('/api/friends/request', {
      data: { requesterId: bob.user.id, addresseeId: ada.user.id },
    });
    expect(requestResponse.status(), 'friend request').toBe(201);
    const toast = page.getByRole('listitem').filter({ hasText: 'New friend request' });
    // A toast does not expire while it contains the focus.
    await toast.getByRole('button', { name: 'Accept' }).focus();
    await checkAtEachWidth(() => expectIntactLayout(toast, 'toast'));
    await page.getByRole('button', { name: /^Friend Requests ?1 pending$/ }).click();
    await expect(getDialog('Friend Requests').getByText(name)).toBeVisible();
    await checkAtEachWidth(() => expectIntactLayout(getDialog('Friend Requests'), 'requests'));
    await getDialog('Friend Requests').getByRole('button', { name: 'Accept' }).click();
    await expect(getDialog('Friend Requests').getByText('No pending friend requests')).toBeVisible();
    await getDialog('Friend Requests').getByRole('button', { name: 'Close' }).click();

    await ada.button('Chat History').click();
    await expect(getDialog('Chat History').getByText(name)).toBeVisible();
    await checkAtEachWidth(() => expectIntactLayout(getDialog('Chat History'), 'history'));
    await getDialog('Chat History').getByRole('button', { name: 'Close' }).click();

    // The sidebar shows the friend's name in the list and the user's own name below it.
    await checkAtEachWidth(async (width) => {
      if (width < wideScreenPx) await ada.button('Open sidebar').click();
      const sidebar =
        width < wideScreenPx ? getDialog('Sidebar') : page.getByRole('complementary', { name: 'Sidebar' });
      const list = sidebar.getByRole('list', { name: 'Friends', exact: true });
      await expect(list.getByText(name)).toBeVisible();
      for (const control of ['Send Message', 'Remove Friend']) {
        await expect(list.getByRole('button', { name: control })).toBeInViewport({ ratio: 1 });
      }
      await expectIntactLayout(sidebar, 'sidebar');
      if (width < wideScreenPx) await sidebar.getByRole('button', { name: 'Close sidebar' }).click();
    });

    await page.getByRole('button', { name: /^Profile Settings:/ }).click();
    await expect(getDialog('Profile Settings').getByLabel('Username')).toHaveValue(name);
    await checkAtEachWidth(() => expectIntactLayout(getDialog('Profile Settings'), 'profile settings'));
    await getDialog('Profile Settings').getByRole('button', { name: 'Close' }).click();

    await openChat(ada, { name });
    await checkAtEachWidth(() => expectIntactLayout(getPrivateChat(ada), 'private chat'));
    await getPrivateChat(ada)
      .getByRole('button', { name: /^Close private chat/ })
      .click();

    await bob.skip();
    await expect(ada.heading('Chat Ended')).toBeVisible();
    await checkAtEachWidth(() => expectIntactLayout(page.locator('main'), 'ended chat'));
  });
}
