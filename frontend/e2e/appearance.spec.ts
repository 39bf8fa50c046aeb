import { type Page } from '@playwright/test';
import { limits } from '@thaw/contract/limits';
import { Connection } from './support/connection.ts';
import {
  expectNoOverflow,
  expectAccessibleOnPhoneAndDesktop,
  type CheckedPart,
} from './support/accessibility.ts';
import { type Person, expect, test } from './support/test.ts';

const narrowestPhone = { width: 320, height: 700 };
/** For tests that check many states, each at several widths and in both themes. */
const checksTimeoutMs = 300_000;
/** The background colours of the themes. */
const backgrounds = { dark: '#0c0e14', light: '#fbfaf7' };

/** Checks accessibility at phone and desktop width, and that nothing overflows the narrowest phone. */
const expectAccessibleAtAllWidths = async (
  page: Page,
  state: string,
  part: CheckedPart = {},
): Promise<void> => {
  await page.setViewportSize(narrowestPhone);
  await expectNoOverflow(page, state);
  await expectAccessibleOnPhoneAndDesktop(page, state, part);
};

test.describe('accessibility and layout checks', () => {
  // The server responds to /nowhere with 404. The test lets /api/anonymous respond with 503.
  test.use({ expectedErrors: [/status of (404|503)/] });

  test('pass on the pages of a visitor', async ({ openContext }) => {
    test.setTimeout(checksTimeoutMs);
    const page = await (await openContext()).newPage();
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // A slide that changes during a check could make it fail.
    for (const carousel of ['the conversations', 'the features'])
      await page.getByRole('button', { name: `Pause ${carousel}` }).click();
    await expectAccessibleAtAllWidths(page, 'landing');

    await page.route('**/api/anonymous', (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto('/auth');
    await expect(page.getByLabel('Email')).toBeVisible();
    await expectAccessibleAtAllWidths(page, 'sign-in');
    await page.getByRole('button', { name: 'Chat Anonymously' }).click();
    await expect(page.getByText('Could not start anonymous session.', { exact: true }).first()).toBeVisible();
    await expectAccessibleAtAllWidths(page, 'a toast', { within: '[aria-label^="Notifications"]' });
    await page.goto('/auth?register=true');
    await page.locator('form').getByRole('button').click();
    await expect(page.getByText('Invalid email')).toBeVisible();
    await expectAccessibleAtAllWidths(page, 'registration with errors');

    await page.goto('/nowhere');
    await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible();
    await expectAccessibleAtAllWidths(page, 'not found');
  });

  test('pass in every state of a random chat', async ({ newcomer }) => {
    test.setTimeout(checksTimeoutMs);
    let network: Connection | undefined;
    const bob = await newcomer({ gender: 'male' });
    const ada: Person = await newcomer({
      gender: null,
      prepare: async (page) => {
        network = await Connection.intercept(page);
      },
    });
    await expect(ada.page.getByRole('dialog')).toBeVisible();
    await expectAccessibleAtAllWidths(ada.page, 'gender', { within: '[role="dialog"]' });
    await ada.page.getByRole('dialog').getByRole('radio', { name: 'Woman' }).click();
    await ada.button('Confirm').click();
    // Declines the account that is then offered to an anonymous user.
    await ada.button('Maybe Later').click();
    await expect(ada.page.getByRole('dialog')).toBeHidden();
    await expectAccessibleAtAllWidths(ada.page, 'initial');

    await ada.pressFind();
    await expect(ada.heading('Looking for someone...')).toBeVisible();
    await expectAccessibleAtAllWidths(ada.page, 'searching');

    await bob.pressFind();
    await expect(ada.heading(bob.name)).toBeVisible();
    await bob.sendMessage('hello');
    await bob.sendMessage('😂');
    await ada.sendMessage(
      'a longer answer, so long that it takes more than the one line it would get on a telephone',
    );
    await expect(ada.message('a longer answer')).toContainText('Sent');
    // The page sends at most one typing frame every two seconds, so type until the partner sees one.
    await expect(async () => {
      await bob.field.pressSequentially('h');
      await expect(ada.page.getByText(`${bob.name} is typing`)).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expectAccessibleAtAllWidths(ada.page, 'active');

    await ada.button('Skip Chat').click();
    await ada.field.fill('x'.repeat(limits.messageMaxCodePoints + 1));
    await expect(ada.page.getByText('2,001 of 2,000 characters')).toBeVisible();
    await expectAccessibleAtAllWidths(ada.page, 'skip bar and a text that is too long', { within: 'main' });
    await ada.button('Cancel').click();

    await network?.cut();
    await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
    await ada.sendMessage('not now');
    await expect(ada.page.getByText('Not sent: reconnecting')).toBeVisible();
    await expectAccessibleAtAllWidths(ada.page, 'disconnected');
    network?.restore();

    await bob.skip();
    await expect(ada.heading('Chat Ended')).toBeVisible({ timeout: 30_000 });
    await expectAccessibleAtAllWidths(ada.page, 'skipped');
  });
});

test('a theme chosen in the settings survives a reload, and the theme "System" follows the browser', async ({
  newcomer,
}) => {
  // Without a choice the page is dark, even if the browser prefers light pages.
  const ada = await newcomer({ colorScheme: 'light' });
  const html = ada.page.locator('html');
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await ada.page.getByRole('button', { name: /^Profile Settings/ }).click();
  await ada.page.getByRole('radio', { name: 'Light' }).click();
  await expect(html).toHaveAttribute('data-theme', 'light');
  await ada.page.reload();
  await expect(html).toHaveAttribute('data-theme', 'light');
  await ada.page.goto('/');
  await ada.page.getByRole('radio', { name: 'Dark' }).click();
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await ada.page.getByRole('radio', { name: 'System' }).click();
  await expect(html).toHaveAttribute('data-theme', 'light');
  await ada.page.emulateMedia({ colorScheme: 'dark' });
  await expect(html).toHaveAttribute('data-theme', 'dark');
});

test('the web app is installable, and its theme colour follows the theme of the page', async ({
  openContext,
}) => {
  const context = await openContext();
  const page = await context.newPage();
  await page.goto('/');
  const devtools = await context.newCDPSession(page);
  const { errors, data } = await devtools.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? '{}')).toMatchObject({ id: '/', scope: '/', start_url: '/chat' });
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  // A test context is a private window, in which nothing can be installed.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);

  const themeColor = page.locator('meta[name="theme-color"]');
  await expect(themeColor).toHaveAttribute('content', backgrounds.dark);
  await page.getByRole('radio', { name: 'Light' }).click();
  await expect(themeColor).toHaveAttribute('content', backgrounds.light);
});
