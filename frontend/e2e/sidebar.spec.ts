import { expectAccessible } from './support/accessibility.ts';
import { expect, type Person, test } from './support/test.ts';

const getSidebar = ({ page }: Person) => page.getByRole('complementary', { name: 'Sidebar' });
/** The sidebar of a narrow screen. */
const getSheet = ({ page }: Person) => page.getByRole('dialog', { name: 'Sidebar' });

/** Restricts accessibility checks to the open dialog. */
const inDialog = { within: '[role="dialog"]' };

const measureSidebarWidth = async (person: Person): Promise<number | undefined> =>
  (await getSidebar(person).boundingBox())?.width;

test('on a wide screen the sidebar is 320 px wide, or 80 px when collapsed, and stays collapsed after a reload', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await expect(ada.heading('Friends (1)')).toBeVisible();
  await expect.poll(() => measureSidebarWidth(ada)).toBe(320);
  await ada.button('Collapse sidebar').click();
  await expect(ada.button('Expand sidebar')).toBeVisible();
  await expect.poll(() => measureSidebarWidth(ada)).toBe(80);
  const friendPicture = getSidebar(ada).getByRole('button', { name: `Send Message to ${bob.name}, Online` });
  await friendPicture.focus();
  await expect(ada.page.getByRole('tooltip')).toContainText(bob.name);

  await ada.page.reload();
  await expect(friendPicture).toBeVisible();
  await expect.poll(() => measureSidebarWidth(ada)).toBe(80);
  await ada.button('Expand sidebar').click();

  // A screen of exactly 768 px counts as wide.
  await ada.page.setViewportSize({ width: 768, height: 800 });
  await expect(getSidebar(ada)).toBeVisible();
  await expect.poll(() => measureSidebarWidth(ada)).toBe(320);
  await ada.page.setViewportSize({ width: 767, height: 800 });
  await expect(getSidebar(ada)).toBeHidden();
  await expect(ada.button('Open sidebar')).toBeVisible();
});

test('on a phone the sidebar is a modal sheet that keeps the keyboard focus and closes when a chat is opened', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat({ viewport: { width: 390, height: 844 } });
  await expect(getSidebar(ada)).toBeHidden();
  await expect(getSheet(ada)).toBeHidden();

  await ada.button('Open sidebar').click();
  await expect(getSheet(ada)).toBeVisible();
  await expect(getSheet(ada).getByText(bob.name)).toBeVisible();
  for (let presses = 0; presses < 12; presses += 1) {
    await ada.page.keyboard.press('Tab');
    expect(await getSheet(ada).evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);
  }
  await expect(async () => {
    // If the focused control has a tooltip, the first Escape closes the tooltip.
    await ada.page.keyboard.press('Escape');
    await expect(getSheet(ada)).toBeHidden({ timeout: 1_000 });
  }).toPass();
  await expect(ada.button('Open sidebar')).toBeFocused();

  await ada.button('Open sidebar').click();
  await getSheet(ada).getByRole('button', { name: 'Send Message' }).click();
  await expect(getSheet(ada)).toBeHidden();
  await expect(ada.page.getByRole('region', { name: `Private chat with ${bob.name}` })).toBeVisible();
});

test('sidebar, friend requests and history pass the accessibility checks in both themes', async ({
  friendsInChat,
  newcomer,
}) => {
  test.slow();
  const [ada, bob] = await friendsInChat();
  await expect(ada.heading('Friends (1)')).toBeVisible();
  await expectAccessible(ada.page, 'sidebar with a friend', { within: 'aside' });
  await ada.button('Collapse sidebar').click();
  await expectAccessible(ada.page, 'collapsed sidebar', { within: 'aside' });
  await ada.button('Expand sidebar').click();

  // Skipping the chat with Bob starts the next search, in which Ada meets Cyd, who sends a friend request.
  await ada.skip();
  const cyd = await newcomer({ gender: 'male' });
  await cyd.pressFind();
  await expect(ada.heading(cyd.name)).toBeVisible();
  await cyd.button('Add Friend').click();
  await ada.page.getByRole('button', { name: /^Friend Requests ?1 pending$/ }).click();
  await expect(ada.page.getByRole('dialog').getByText(cyd.name)).toBeVisible();
  await expectAccessible(ada.page, 'requests', inDialog);
  await ada.page.keyboard.press('Escape');

  await ada.page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(ada.page, 'chat on a phone');
  await ada.button('Open sidebar').click();
  await expect(getSheet(ada).getByText(bob.name)).toBeVisible();
  await expectAccessible(ada.page, 'sheet', inDialog);
  await getSheet(ada).getByRole('button', { name: 'Close sidebar' }).click();
  await ada.button('Chat History').click();
  await expect(ada.page.getByRole('dialog').getByText(bob.name)).toBeVisible();
  await expectAccessible(ada.page, 'history', inDialog);
});
