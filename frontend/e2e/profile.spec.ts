import { type Page } from '@playwright/test';
import { limits } from '@thaw/contract/limits';
import {
  expectToast,
  openSettings,
  signInAndOpenChat,
  readStoredUser,
  createEmail,
} from './support/account.ts';
import { expectAccessibleDialog } from './support/accessibility.ts';
import { expect, createZeroFile, test } from './support/test.ts';

const phone = { viewport: { width: 390, height: 844 } };

/** Draws a PNG in the browser, which the server can decode. */
const drawPng = async (page: Page): Promise<Buffer> => {
  const base64 = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    canvas.getContext('2d')?.fillRect(16, 16, 32, 32);
    return canvas.toDataURL('image/png').split(',')[1] ?? '';
  });
  return Buffer.from(base64, 'base64');
};

test('a picture of more than 5 MB is refused', async ({ newcomer }) => {
  const { page } = await newcomer();
  await openSettings(page);
  const settings = page.getByRole('dialog', { name: 'Profile Settings' });
  const file = settings.locator('input[type="file"]');
  await file.setInputFiles(createZeroFile('huge.png', limits.imageMaxBytes + 1));
  await expectToast(page, 'File too large', 'Image must be no larger than 5MB.');
  await expect(settings.getByRole('button', { name: 'No changes' })).toBeDisabled();
});

test('a new name appears in another tab and for a friend, and survives a reload with the new picture', async ({
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  const otherTab = await ada.page.context().newPage();
  await otherTab.goto('/chat');
  await openSettings(ada.page);
  const settings = ada.page.getByRole('dialog', { name: 'Profile Settings' });
  await expect(settings.getByRole('button', { name: 'No changes' })).toBeDisabled();
  await expect(settings.getByText('an anonymous profile is erased')).toBeVisible();

  await settings
    .locator('input[type="file"]')
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: await drawPng(ada.page) });
  const preview = settings.locator('img');
  await expect(preview).toHaveAttribute('src', /^\/api\/files\/avatars\/profiles\//);
  // The browser has loaded the uploaded picture.
  await expect(async () =>
    expect(await preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0),
  ).toPass();

  await settings.getByLabel('Username').fill('Ada Lovelace');
  await settings.getByRole('button', { name: 'Save changes' }).click();
  await expect(settings.getByRole('button', { name: 'No changes' })).toBeDisabled();
  const getSidebar = (page: typeof ada.page) => page.getByRole('complementary', { name: 'Sidebar' });
  await expect(getSidebar(otherTab).getByText('Ada Lovelace')).toBeVisible();
  await expect(getSidebar(bob.page).getByText('Ada Lovelace').first()).toBeVisible();

  // Close the settings first: the URL of open settings would reopen them after the reload, over the sidebar.
  await settings.getByRole('button', { name: 'Close' }).click();
  await expect(ada.page).toHaveURL('/chat');
  await ada.page.reload();
  await expect(getSidebar(ada.page).getByText('Ada Lovelace')).toBeVisible();
  expect((await readStoredUser(ada.page))?.avatar).toMatch(/^\/api\/files\/avatars\/profiles\//);
});

test.describe('the settings of a registered user', () => {
  // The browser logs each failed response as a console error.
  test.use({ expectedErrors: [/status of (401|403)/] });

  test('change e-mail address and password; only the new password signs out the other browser', async ({
    openContext,
  }) => {
    const account = { email: createEmail(), password: 'secret1' };
    const { page } = await signInAndOpenChat(await openContext(), account);
    const { page: otherBrowser } = await signInAndOpenChat(await openContext(), account);
    await openSettings(page);
    const settings = page.getByRole('dialog', { name: 'Profile Settings' });
    // Both tabs have a field with this label, and one of the tabs is hidden.
    const currentPassword = settings.getByLabel('Current password').filter({ visible: true });

    await settings.getByRole('tab', { name: 'Email' }).click();
    await expect(settings.getByText(account.email)).toBeVisible();
    const submitEmail = settings.getByRole('button', { name: 'Change email' });
    await submitEmail.click();
    await expectToast(page, 'Required fields', 'Please fill in all fields.');
    const newEmail = createEmail();
    await settings.getByLabel('New email').fill(newEmail);
    await currentPassword.fill('not mine');
    await submitEmail.click();
    await expectToast(page, 'Error changing email', 'The current password is not correct.');
    await currentPassword.fill(account.password);
    await submitEmail.click();
    await expectToast(page, 'Email changed', 'Your email has been changed successfully.');
    await expect(settings.getByText(newEmail)).toBeVisible();
    // A change of the e-mail address does not sign out the other browser.
    await expect(otherBrowser).toHaveURL('/chat');

    await settings.getByRole('tab', { name: 'Password' }).click();
    const submitPassword = settings.getByRole('button', { name: 'Change password' });
    await expect(submitPassword).toBeDisabled();
    await currentPassword.fill(account.password);
    await settings.getByLabel('New password', { exact: true }).fill('secret2');
    await settings.getByLabel('Confirm new password').fill('secret');
    await expect(settings.getByText('Passwords do not match')).toBeVisible();
    await expect(submitPassword).toBeDisabled();
    await settings.getByLabel('Confirm new password').fill('secret2');
    await submitPassword.click();
    await expectToast(page, 'Password changed');

    await expect(otherBrowser).toHaveURL('/auth');
    expect(await readStoredUser(otherBrowser)).toBeNull();
    await page.reload();
    await expect(page.getByText('Connected', { exact: true })).toBeVisible();

    const loginButton = otherBrowser.locator('form').getByRole('button');
    await otherBrowser.getByLabel('Email').fill(newEmail);
    await otherBrowser.getByLabel('Password').fill(account.password);
    await loginButton.click();
    await expectToast(otherBrowser, 'Login error', 'Invalid credentials. Please try again.');
    await otherBrowser.getByLabel('Password').fill('secret2');
    await loginButton.click();
    await expect(otherBrowser).toHaveURL('/chat');
    await expect(otherBrowser.getByText('Connected', { exact: true })).toBeVisible();
  });

  test('fill the width of a phone, can be operated by keyboard, and ask before input is discarded', async ({
    openContext,
  }) => {
    const { page } = await signInAndOpenChat(await openContext(phone), {
      email: createEmail(),
      password: 'secret1',
    });
    await openSettings(page);
    const settings = page.getByRole('dialog', { name: 'Profile Settings' });
    // Wait for the end of the entry animation.
    await expect
      .poll(async () => {
        const box = await settings.boundingBox();
        return [box?.x, box?.width];
      })
      .toEqual([0, phone.viewport.width]);
    await expect(settings.getByRole('tab', { name: 'Profile' })).toBeFocused();
    await expectAccessibleDialog(page, 'Profile Settings');
    await page.keyboard.press('ArrowRight');
    await expect(settings.getByLabel('New email')).toBeVisible();
    await expectAccessibleDialog(page, 'Profile Settings');
    await page.keyboard.press('ArrowRight');
    await settings.getByLabel('New password', { exact: true }).fill('secret1');
    await settings.getByLabel('Confirm new password').fill('secret2');
    await expect(settings.getByText('Passwords do not match')).toBeVisible();
    await expectAccessibleDialog(page, 'Profile Settings');

    // On a phone, the dialog is a sheet at the bottom. A tap above it does not discard input.
    await page.mouse.click(phone.viewport.width / 2, 10);
    await expect(settings.getByLabel('Confirm new password')).toHaveValue('secret2');
    // Escape shows a question first, and a second Escape closes this question.
    await page.keyboard.press('Escape');
    await expectAccessibleDialog(page, 'Profile Settings');
    await page.keyboard.press('Escape');
    await expect(settings.getByLabel('Confirm new password')).toHaveValue('secret2');
    await page.keyboard.press('Escape');
    await settings.getByRole('button', { name: 'Discard' }).click();
    await expect(settings).toBeHidden();
    // The sidebar, from which the settings were opened, has closed. The button that opens it gets the focus.
    await expect(page.getByRole('button', { name: 'Open sidebar' })).toBeFocused();
  });
});
