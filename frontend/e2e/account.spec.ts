import { pageLimits } from '../src/lib/page-limits';
import { createEmail, expectToast } from './support/account.ts';
import { expect, Person, signInByHttp, test } from './support/test.ts';

/** What the page stores in localStorage after a logout (docs/product-decisions.md, A05). */
const signedOutState = '{"state":{"user":null},"version":0}';

// The browser logs the failed responses that these tests cause as console errors.
test.use({ expectedErrors: [/status of (401|409|503)/] });

test('a visitor registers, logs out and signs in, and each wrong input shows its error text', async ({
  openContext,
}) => {
  const page = await (await openContext()).newPage();
  const email = createEmail();
  const submit = page.locator('form').getByRole('button');

  await page.goto('/');
  // The landing page has several such links.
  await page.getByRole('link', { name: 'Register' }).first().click();
  await expect(page).toHaveURL('/auth?register=true');
  await submit.click();
  await expect(page.getByText('Invalid email')).toBeVisible();
  await expect(page.getByText('Password must be at least 6 characters')).toBeVisible();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('secret1');
  await page.getByLabel('Confirm Password').fill('secret2');
  await expect(page.getByText("Passwords don't match")).toBeVisible();
  await expect(page.getByText('Invalid email')).toBeHidden();
  await page.getByLabel('Confirm Password').fill('secret1');
  await expect(page.getByText("Passwords don't match")).toBeHidden();
  await submit.click();
  await expect(page).toHaveURL('/chat');
  await expectToast(page, 'Account created successfully', 'Welcome to Thaw!');

  // A new user has to choose a gender before the page connects.
  await page.getByRole('dialog').getByRole('radio', { name: 'Man', exact: true }).click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();

  // The accessible name ends with the user's name.
  await page.getByRole('button', { name: /^Profile Settings/ }).click();
  await page.getByRole('tab', { name: 'Email' }).click();
  await expect(page.getByRole('tabpanel').getByText(email)).toBeVisible();
  await page.getByRole('tab', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/auth');
  expect(await page.evaluate(() => localStorage.getItem('thaw-chat-auth'))).toBe(signedOutState);
  await page.goto('/chat');
  await expect(page).toHaveURL('/auth');

  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill('wrong password');
  await submit.click();
  await expectToast(page, 'Login error', 'Invalid credentials. Please try again.');
  await page.getByLabel('Password').fill('secret1');
  await submit.click();
  await expect(page).toHaveURL('/chat');
  await expectToast(page, 'Login successful', 'Welcome back!');
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();

  // Registering the same e-mail address again fails.
  await page.goto('/auth?register=true');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('secret1');
  await page.getByLabel('Confirm Password').fill('secret1');
  await submit.click();
  await expectToast(page, 'Registration error', 'Could not create account. Please try again.');
});

test('the Register button switches from sign-in to registration, and the Back link leads to the landing page', async ({
  openContext,
}) => {
  const page = await (await openContext()).newPage();
  await page.goto('/auth');
  await expect(page.getByLabel('Confirm Password')).toHaveCount(0);
  await page.getByRole('button', { name: 'Register' }).click();
  await expect(page.getByLabel('Confirm Password')).toBeVisible();
  await expect(page).toHaveURL('/auth?register=true');
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL('/');
});

for (const [place, path, button, toastTitle, toastText] of [
  [
    'landing page',
    '/',
    'Join Anonymously',
    'Connection Error',
    'Could not start anonymous session. Please try again.',
  ],
  ['auth page', '/auth', 'Chat Anonymously', 'Error', 'Could not start anonymous session.'],
] as const) {
  test(`an anonymous start from the ${place} disables its button, shows a failure in a toast that expires, and can be retried`, async ({
    openContext,
  }) => {
    const page = await (await openContext()).newPage();
    await page.clock.install();
    let sendResponse: () => void = () => undefined;
    await page.route('**/api/anonymous', async (route) => {
      await new Promise<void>((resolve) => (sendResponse = resolve));
      await route.fulfill({ status: 503, json: { statusCode: 503, code: 'unavailable', message: 'no' } });
    });
    await page.goto(path);
    await page.getByRole('button', { name: button }).first().click();
    await expect(page.getByRole('button', { name: 'Starting...' }).first()).toBeDisabled();
    sendResponse();
    const toast = page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('listitem');
    await expect(toast).toHaveCount(1);
    await expect(toast.getByText(toastTitle, { exact: true })).toBeVisible();
    await expect(toast.getByText(toastText, { exact: true })).toBeVisible();
    await page.clock.runFor(pageLimits.toastMs);
    await expect(toast).toHaveCount(0);

    await page.unroute('**/api/anonymous');
    await page.getByRole('button', { name: button }).first().click();
    await expect(page).toHaveURL('/chat');
    await expectToast(page, 'You are chatting anonymously.');
  });
}

test('F8 moves the focus to the toasts, where Escape closes a toast', async ({ openContext }) => {
  const page = await (await openContext()).newPage();
  await page.route('**/api/anonymous', (route) => route.fulfill({ status: 503, json: {} }));
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Chat Anonymously' }).click();
  const toasts = page.getByRole('region', { name: 'Notifications (F8)' });
  await expect(toasts.getByRole('listitem')).toBeVisible();
  await page.keyboard.press('F8');
  // Moves the focus from the region of all toasts to the toast.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await expect(toasts.getByRole('listitem')).toHaveCount(0);
});

test('a user whose session cookie was deleted is redirected to /auth and removed from localStorage', async ({
  openContext,
}) => {
  const context = await openContext();
  await signInByHttp(context);
  await context.clearCookies();
  const page = await context.newPage();
  await page.goto('/chat');
  await expect(page).toHaveURL('/auth');
  expect(await page.evaluate(() => localStorage.getItem('thaw-chat-auth'))).toBe(signedOutState);
});

test('a visitor who is not signed in is redirected from /chat to /auth, and neither / nor /chat opens a socket', async ({
  openContext,
}) => {
  const page = await (await openContext()).newPage();
  let socketCount = 0;
  page.on('websocket', () => (socketCount += 1));
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goto('/chat');
  await expect(page).toHaveURL('/auth');
  expect(socketCount).toBe(0);
});

test('logging out ends the chat and signs the user out in every tab', async ({ pair }) => {
  const [ada, bob] = await pair();
  const secondTab = await ada.page.context().newPage();
  await secondTab.goto('/chat');
  await expect(new Person(secondTab, ada.user).heading(bob.name)).toBeVisible();
  await ada.page.getByRole('button', { name: /^Profile Settings/ }).click();
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Logout' }).click();
  await expect(ada.page).toHaveURL('/auth');
  await expect(secondTab).toHaveURL('/auth');
  await expect(bob.heading('Chat Ended')).toBeVisible();
});

test.describe('an unknown address', () => {
  test.use({ expectedErrors: [/status of 404/] });
  test("shows 'Page Not Found' with status 404", async ({ openContext }) => {
    const page = await (await openContext()).newPage();
    const response = await page.goto('/nobody/is/here');
    await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible();
    expect(response?.status()).toBe(404);
    await page.getByRole('link', { name: 'Back to the start' }).click();
    await expect(page).toHaveURL('/');
  });
});
