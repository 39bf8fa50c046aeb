import { type Locator, type Page } from '@playwright/test';
import { pageLimits } from '../src/lib/page-limits';
import {
  expectToast,
  openSettings,
  signInAndOpenChat,
  readStoredUser,
  createEmail,
} from './support/account.ts';
import { expectAccessibleDialog } from './support/accessibility.ts';
import { expect, test, type Person } from './support/test.ts';

const password = 'secret1';
const phone = { viewport: { width: 390, height: 844 } };

// The browser logs each failed response as a console error.
test.use({ expectedErrors: [/status of (409|500)/] });

/** Opens the dialog with the form from Profile Settings, or from the prompt of a new user. */
const openAccountForm = async (person: Person): Promise<Locator> => {
  await person.button('Create Account').click();
  return person.page.getByRole('dialog', { name: 'Create Your Account' });
};

const fillAccountForm = async (form: Locator, email: string, confirmedPassword = password): Promise<void> => {
  await form.getByLabel('Email').fill(email);
  await form.getByLabel('Password', { exact: true }).fill(password);
  await form.getByLabel('Confirm Password').fill(confirmedPassword);
};

const submitAccountForm = (form: Locator): Promise<void> =>
  form.getByRole('button', { name: 'Create Account' }).click();

test('an anonymous user who creates an account during a chat keeps id, friends, messages and history', async ({
  openContext,
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  await bob.sendMessage('before');
  await expect(ada.message('before')).toBeVisible();
  let newSocketCount = 0;
  ada.page.on('websocket', () => (newSocketCount += 1));

  await openSettings(ada.page);
  await expect(ada.page.getByRole('tab')).toHaveText(['Profile']);
  const email = createEmail();
  const form = await openAccountForm(ada);
  await fillAccountForm(form, email);
  await submitAccountForm(form);
  await expectToast(ada.page, 'Account created successfully!');
  await expect(form).toBeHidden();
  await expect(ada.page.getByRole('button', { name: /^Profile Settings: / })).toBeFocused();
  expect(await readStoredUser(ada.page)).toMatchObject({
    id: ada.user.id,
    username: ada.name,
    isAnonymous: false,
    email,
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
  const otherBrowser = await signInAndOpenChat(await openContext(), { email, password });
  expect(otherBrowser.user.id).toBe(ada.user.id);
  const readOwnData = async (address: string): Promise<unknown> =>
    (await otherBrowser.page.request.get(`${address}/${ada.user.id}`)).json();
  expect(await readOwnData('/api/friends')).toMatchObject([{ id: bob.user.id }]);
  expect(await readOwnData('/api/chat-history')).toHaveLength(1);
  await expect(otherBrowser.page.getByRole('heading', { name: bob.name, exact: true })).toBeVisible();
});

test('the account form refuses missing fields, different passwords and a taken address, and then succeeds', async ({
  openContext,
  newcomer,
}) => {
  const takenEmail = createEmail();
  const otherContext = await openContext();
  await otherContext.request.post('/api/register', { data: { email: takenEmail, password } });
  const ada = await newcomer();
  await openSettings(ada.page);
  const form = await openAccountForm(ada);
  await submitAccountForm(form);
  await expectToast(ada.page, 'Missing fields', 'Please fill in all fields.');
  await fillAccountForm(form, takenEmail, 'secret2');
  await submitAccountForm(form);
  await expectToast(ada.page, "Passwords don't match", 'Please make sure both passwords are identical.');
  await fillAccountForm(form, takenEmail);
  await submitAccountForm(form);
  await expectToast(ada.page, 'Conversion failed', 'This email address is taken.');
  await fillAccountForm(form, createEmail());
  await submitAccountForm(form);
  await expectToast(ada.page, 'Account created successfully!');
});

/** Clicks at the top of a phone's screen, above the dialogs of the tests below. */
const clickOutsideDialog = (page: Page): Promise<void> => page.mouse.click(195, 10);

/** Chooses a gender as a new user, which opens the prompt to create an account. */
const chooseGender = async (person: Person): Promise<void> => {
  await person.page.getByRole('radio', { name: 'Woman' }).click();
  await person.button('Confirm').click();
  await expect(person.page.getByRole('dialog', { name: 'Anonymous Account' })).toBeVisible();
};

/** Holds the requests that create an account, until the returned function answers them with status 500. */
const holdConversions = async (page: Page): Promise<() => void> => {
  let fail: () => void = () => undefined;
  const mayFail = new Promise<void>((resolve) => (fail = resolve));
  await page.route('**/api/convert-anonymous', async (route) => {
    await mayFail;
    await route.fulfill({ status: 500, body: '' });
  });
  return fail;
};

test('a new user cannot close the gender dialog', async ({ newcomer }) => {
  const ada = await newcomer({ gender: null, ...phone });
  await expectAccessibleDialog(ada.page, 'Select Your Gender');
  await ada.page.keyboard.press('Escape');
  await clickOutsideDialog(ada.page);
  await expect(ada.page.getByRole('dialog', { name: 'Select Your Gender' })).toBeVisible();
  // No gender is chosen yet.
  await expect(ada.button('Confirm')).toBeDisabled();
});

test('a new user cannot close the account dialog during its request, but can after a failure', async ({
  newcomer,
}) => {
  const ada = await newcomer({ gender: null, ...phone });
  await chooseGender(ada);
  await expectAccessibleDialog(ada.page, 'Anonymous Account');
  const form = await openAccountForm(ada);
  await fillAccountForm(form, createEmail());
  await expectAccessibleDialog(ada.page, 'Create Your Account');

  const failConversions = await holdConversions(ada.page);
  await submitAccountForm(form);
  await expect(form.getByRole('button', { name: 'Creating account...' })).toBeDisabled();
  await expect(form.getByRole('button', { name: 'Close' })).toBeDisabled();
  await ada.page.keyboard.press('Escape');
  await clickOutsideDialog(ada.page);
  await expect(form.getByRole('button', { name: 'Creating account...' })).toBeVisible();
  failConversions();
  await expectToast(ada.page, 'Conversion failed', 'Could not convert account. Please try again.');
  await expect(form.getByLabel('Email')).not.toHaveValue('');
  await form.getByRole('button', { name: 'Close' }).click();
  await expect(form).toBeHidden();
});

test('a new user sees no dialog on the next visit', async ({ newcomer }) => {
  const ada = await newcomer({ gender: null, ...phone });
  await chooseGender(ada);
  const form = await openAccountForm(ada);
  await form.getByRole('button', { name: 'Close' }).click();
  await expect(form).toBeHidden();
  await ada.page.clock.install();
  await ada.page.reload();
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  // Much longer than the delay of the prompt to create an account.
  await ada.page.clock.runFor(4 * pageLimits.anonymousPromptDelayMs);
  await expect(ada.page.getByRole('dialog')).toHaveCount(0);
});
