import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Page } from '@playwright/test';
import { type Receipt } from '@thaw/contract/my-data';
import { exportFileName, exportLineSchema } from '@thaw/contract/my-data-export';
import { expectAccessibleOnPhoneAndDesktop } from './support/accessibility.ts';
import { openSettings, signInAndOpenChat, readStoredUser, createEmail } from './support/account.ts';
import { expectIntactLayout } from './support/layout.ts';
import { expect, test } from './support/test.ts';

// The wrong password returns 403, and the session of the deleted account 401.
test.use({ expectedErrors: [/status of (401|403)/] });

const narrowPhone = { width: 320, height: 700 };

/**
 * Forges a receipt, a document that lists what the server has erased. Its field `receipt` is the signed form (a JWS:
 * header, content and signature), and its field `content` is what the page shows. The forgery claims one more erased
 * picture in both fields, but keeps the original signature.
 */
const forgeReceipt = (receipt: Receipt): Receipt => {
  const [header, content, signature] = receipt.receipt!.split('.');
  const forgedContent = JSON.parse(Buffer.from(content!, 'base64url').toString()) as NonNullable<
    Receipt['content']
  >;
  forgedContent.erased.images += 1;
  const encoded = Buffer.from(JSON.stringify(forgedContent)).toString('base64url');
  return { ...receipt, content: forgedContent, receipt: `${header}.${encoded}.${signature}` };
};

/** Checks that the trailer, the last line of an export, has the counts and the hash of the lines before it. */
const expectCompleteExport = (text: string): void => {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => exportLineSchema.parse(JSON.parse(line)));
  const textBeforeTrailer = text.slice(0, text.lastIndexOf('{"kind":"trailer"'));
  expect(lines.at(-1)).toMatchObject({
    events: lines.filter(({ kind }) => kind === 'event').length,
    records: lines.filter(({ kind }) => kind === 'record').length,
    sha256: createHash('sha256').update(textBeforeTrailer).digest('hex'),
  });
};

const password = 'correct horse';

test('a registered user confirms the export of their data by password, and the downloaded file is complete', async ({
  openContext,
}) => {
  const { page } = await signInAndOpenChat(await openContext(), { email: createEmail(), password });
  await openSettings(page);
  await page.getByRole('button', { name: 'Download my data' }).click();
  const dialog = page.getByRole('dialog', { name: 'Download my data' });
  await expectAccessibleOnPhoneAndDesktop(page, 'export', { within: '[role="dialog"]' });
  await dialog.getByLabel('Password').fill(password);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(exportFileName);
  expectCompleteExport(await readFile(await download.path(), 'utf8'));
  await expect(dialog).toBeHidden();
});

/** Deletes the account in the settings: first with a wrong password, which is refused, and then with the right one. */
const deleteAccount = async (page: Page): Promise<void> => {
  await openSettings(page);
  await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  const passwordField = dialog.getByLabel('Password');
  await expect(passwordField).toBeFocused();
  await expectAccessibleOnPhoneAndDesktop(page, 'deletion', { within: '[role="dialog"]' });
  await page.setViewportSize(narrowPhone);
  await expectIntactLayout(dialog, 'deletion');
  const confirmButton = dialog.getByRole('button', { name: 'Delete account forever' });
  await expect(confirmButton).toBeDisabled();
  await passwordField.fill('wrong horse');
  await confirmButton.click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await passwordField.fill(password);
  await passwordField.press('Enter');
};

/** Waits for the page of the receipt, which shows the receipt once the worker has erased the account. */
const expectReceipt = async (page: Page): Promise<void> => {
  await expect(page).toHaveURL(/\/receipt\?id=[\w-]{22}$/);
  const heading = page.getByRole('heading', { level: 1, name: 'Your account is deleted' });
  await expect(heading).toBeFocused({ timeout: 20_000 });
  await expect(page.getByRole('region', { name: 'Erased' })).toContainText('Sign-ins');
};

test('a user who deletes their account is signed out in every tab, and can check and download the receipt', async ({
  openContext,
}) => {
  const context = await openContext();
  const { page } = await signInAndOpenChat(context, { email: createEmail(), password });
  const otherTab = await context.newPage();
  await otherTab.goto('/chat');
  await expect(otherTab.getByText('Connected', { exact: true })).toBeVisible();
  await deleteAccount(page);
  await expectReceipt(page);
  await expect(otherTab).toHaveURL('/auth');
  expect(await readStoredUser(otherTab)).toBeNull();

  const remaining = page.getByRole('region', { name: 'What is stored about the account now' });
  await expect(remaining).toContainText('Nothing.');
  // "Count again" loads the receipt again, which gives the test its JSON.
  const [receiptResponse] = await Promise.all([
    page.waitForResponse(/\/api\/receipts\/[\w-]{22}$/),
    remaining.getByRole('button', { name: 'Count again' }).click(),
  ]);
  const receipt = (await receiptResponse.json()) as Receipt;
  await page.getByRole('button', { name: 'Check this receipt' }).click();
  await expect(page.getByText(/^Genuine/)).toBeVisible();
  await expectIntactLayout(page.locator('main'), 'receipt');
  await expectAccessibleOnPhoneAndDesktop(page, 'receipt');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download receipt' }).click(),
  ]);
  expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toEqual({
    receipt: receipt.receipt,
    content: receipt.content,
  });
});

test('the page of a receipt detects a forged receipt', async ({ openContext }) => {
  const { page } = await signInAndOpenChat(await openContext(), { email: createEmail(), password });
  await deleteAccount(page);
  await expectReceipt(page);
  // The server's real keys are not replaced.
  await page.route('**/api/receipts/*', async (route) => {
    if (route.request().url().endsWith('/keys')) return route.continue();
    const response = await route.fetch();
    return route.fulfill({ json: forgeReceipt((await response.json()) as Receipt) });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Check this receipt' }).click();
  await expect(page.getByText(/^Not genuine/)).toBeVisible();
});
