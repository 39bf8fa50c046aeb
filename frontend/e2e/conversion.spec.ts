import { type Page } from '@playwright/test';
import { pageLimits } from '../src/lib/page-limits';
import {
  expectToast,
  openSettings,
  signInAndOpenChat,
  readStoredUser,
  createEmail,
} from './support/account.ts';
import { expectAccessibleDialog } from './support/accessibility.ts';
import { expect, test } from './support/test.ts';

// The browser logs each failed response as a console error.
test.use({ expectedErrors: [/status of (409|500)/] });

test('an anonymous user who creates an account during a chat keeps id, friends, messages and history', async ({
  openContext,
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await bob.sendMessage('before');
  await expect(ada.message('before')).toBeVisible();
  const account = { email: createEmail(), password: 'secret1' };
  const takenEmail = createEmail();
  const otherContext = await openContext();
  await otherContext.request.post('/api/register', { data: { email: takenEmail, password: 'secret1' } });
  let newSocketCount = 0;
  ada.page.on('websocket', () => (newSocketCount += 1));

  await openSettings(ada.page);
  await expect(ada.page.getByRole('tab')).toHaveText(['Profile']);
  await ada.button('Create Account').click();
  const dialog = ada.page.getByRole('dialog', { name: 'Create Your Account' });
  const submit = dialog.getByRole('button', { name: 'Create Account' });
  await submit.click();
  await expectToast(ada.page, 'Missing fields', 'Please fill in all fields.');
  await dialog.getByLabel('Email').fill(takenEmail);
  await dialog.getByLabel('Password', { exact: true }).fill('secret1');
  await dialog.getByLabel('Confirm Password').fill('secret2');
  await submit.click();
  await expectToast(ada.page, "Passwords don't match", 'Please make sure both passwords are identical.');
  await dialog.getByLabel('Confirm Password').fill('secret1');
  await submit.click();
  await expectToast(ada.page, 'Conversion failed', 'This email address is taken.');
  await dialog.getByLabel('Email').fill(account.email);
  await submit.click();
  await expectToast(ada.page, 'Account created successfully!');
  await expect(dialog).toBeHidden();
  await expect(ada.page.getByRole('button', { name: /^Profile Settings: / })).toBeFocused();
  expect(await readStoredUser(ada.page)).toMatchObject({
    id: ada.user.id,
    username: ada.name,
    isAnonymous: false,
    email: account.email,
  });

  // The chat continues on the same socket, in both directions.
  await bob.sendMessage('after');
  await expect(ada.message('after')).toBeVisible();
  await ada.sendMessage('still me');
  await expect(bob.message('still me')).toBeVisible();
  expect(newSocketCount).toBe(0);
  await ada.page.reload();
  await expect(ada.heading(bob.name)).toBeVisible();
  await expect(ada.message('before')).toBeVisible();
  await expect(ada.message('still me')).toBeVisible();
  await openSettings(ada.page);
  await expect(ada.page.getByRole('tab')).toHaveText(['Profile', 'Email', 'Password']);

  // Another browser that signs in to the account shows the same data.
  const otherBrowser = await signInAndOpenChat(await openContext(), account);
  expect(otherBrowser.user.id).toBe(ada.user.id);
  const readOwnData = async (address: string): Promise<unknown> =>
    (await otherBrowser.page.request.get(`${address}/${ada.user.id}`)).json();
  expect(await readOwnData('/api/friends')).toMatchObject([{ id: bob.user.id }]);
  expect(await readOwnData('/api/chat-history')).toHaveLength(1);
  await expect(otherBrowser.page.getByRole('heading', { name: bob.name, exact: true })).toBeVisible();
});

/** Clicks at the top of a phone's screen, above the dialogs of this test. */
const clickOutsideDialog = (page: Page): Promise<void> => page.mouse.click(195, 10);

test('a new user cannot close the gender dialog, nor the account dialog during its request, and sees each dialog only once', async ({
  newcomer,
}) => {
  const ada = await newcomer({ gender: null, viewport: { width: 390, height: 844 } });
  await expectAccessibleDialog(ada.page, 'Select Your Gender');
  await ada.page.keyboard.press('Escape');
  await clickOutsideDialog(ada.page);
  await expect(ada.page.getByRole('dialog', { name: 'Select Your Gender' })).toBeVisible();
  // No gender is chosen yet.
  await expect(ada.button('Confirm')).toBeDisabled();
  await ada.page.getByRole('radio', { name: 'Woman' }).click();
  await ada.button('Confirm').click();
  await expectAccessibleDialog(ada.page, 'Anonymous Account');
  await ada.button('Create Account').click();
  const dialog = ada.page.getByRole('dialog', { name: 'Create Your Account' });
  await dialog.getByLabel('Email').fill(createEmail());
  await dialog.getByLabel('Password', { exact: true }).fill('secret1');
  await dialog.getByLabel('Confirm Password').fill('secret1');
  await expectAccessibleDialog(ada.page, 'Create Your Account');

  let allowResponse: () => void = () => undefined;
  const responseAllowed = new Promise<void>((resolve) => (allowResponse = resolve));
  await ada.page.route('**/api/convert-anonymous', async (route) => {
    await responseAllowed;
    await route.fulfill({ status: 500, body: '' });
  });
  await dialog.getByRole('button', { name: 'Create Account' }).click();
  await expect(dialog.getByRole('button', { name: 'Creating account...' })).toBeDisabled();
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeDisabled();
  await ada.page.keyboard.press('Escape');
  await clickOutsideDialog(ada.page);
  await expect(dialog.getByRole('button', { name: 'Creating account...' })).toBeVisible();
  allowResponse();
  await expectToast(ada.page, 'Conversion failed', 'Could not convert account. Please try again.');
  await expect(dialog.getByLabel('Email')).not.toHaveValue('');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();

  // On the next visit no dialog appears, even long after the delay of the prompt to create an account.
  await ada.page.clock.install();
  await ada.page.reload();
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  await ada.page.clock.runFor(4 * pageLimits.anonymousPromptDelayMs);
  await expect(ada.page.getByRole('dialog')).toHaveCount(0);
});
