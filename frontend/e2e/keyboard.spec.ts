import { type Page } from '@playwright/test';
import { expect, type Person, test } from './support/test.ts';

/** Tabs until something with this role and name has the focus. */
const tabTo = async (
  page: Page,
  role: 'button' | 'radio' | 'textbox',
  name: string | RegExp,
): Promise<void> => {
  const target = page.getByRole(role, { name, exact: true }).first();
  await expect(target).toBeVisible();
  for (let steps = 0; steps < 40; steps += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${role} «${String(name)}» is not reached with Tab`);
};

// The socket may learn of the logout before the page has its answer, and asks once who is signed in.
test.use({ expectedErrors: [/status of 401/] });

test('the whole flow with the keyboard alone', async ({ open, newcomer }) => {
  const page = await (await open()).newPage();
  await page.goto('/');
  await tabTo(page, 'button', 'Join Anonymously');
  await page.keyboard.press('Enter');

  await expect(page.getByRole('dialog')).toBeVisible();
  await tabTo(page, 'radio', 'Man');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Woman' })).toBeChecked();
  await tabTo(page, 'button', 'Confirm');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Anonymous Account' })).toBeVisible();
  await tabTo(page, 'button', 'Maybe Later');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();

  await tabTo(page, 'radio', 'Both');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Man', exact: true })).toBeChecked();
  await tabTo(page, 'button', 'Find Conversation');
  await page.keyboard.press('Space');

  const bob = await newcomer({ gender: 'male' });
  await bob.find();
  await expect(page.getByRole('heading', { name: bob.name })).toBeVisible();
  await tabTo(page, 'textbox', 'Message');
  await page.keyboard.type('no mouse here');
  await page.keyboard.press('Enter');
  await expect(bob.message('no mouse here')).toBeVisible();

  await tabTo(page, 'button', 'Skip Chat');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Skip this chat?')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Skip Chat' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(bob.heading('Chat Ended')).toBeVisible();
  await tabTo(page, 'button', 'Cancel');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Ready to chat?' })).toBeVisible();

  const stored = await page.evaluate(() => localStorage.getItem('thaw-chat-auth'));
  const { state } = JSON.parse(stored ?? '') as { state: { user: Person['user'] } };
  await tabTo(page, 'button', new RegExp(`^Profile Settings: ${state.user.username}`));
  await page.keyboard.press('Enter');
  await tabTo(page, 'radio', 'Dark');
  await tabTo(page, 'button', 'Logout');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/auth');
});
