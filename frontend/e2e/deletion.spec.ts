import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
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

test('a user exports their data and deletes the account; every tab signs out, and the page verifies the receipt', async ({
  openContext,
}) => {
  const context = await openContext();
  const password = 'correct horse';
  const { page } = await signInAndOpenChat(context, { email: createEmail(), password });
  const otherTab = await context.newPage();
  await otherTab.goto('/chat');
  await expect(otherTab.getByText('Connected', { exact: true })).toBeVisible();

  await openSettings(page);
  await page.getByRole('button', { name: 'Download my data' }).click();
  const exportDialog = page.getByRole('dialog', { name: 'Download my data' });
  await expectAccessibleOnPhoneAndDesktop(page, 'export', { within: '[role="dialog"]' });
  await exportDialog.getByLabel('Password').fill(password);
  const [exported] = await Promise.all([
    page.waitForEvent('download'),
    exportDialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(exported.suggestedFilename()).toBe(exportFileName);
  expectCompleteExport(await readFile(await exported.path(), 'utf8'));
  await expect(exportDialog).toBeHidden();

  await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  const field = dialog.getByLabel('Password');
  await expect(field).toBeFocused();
  await expectAccessibleOnPhoneAndDesktop(page, 'deletion', { within: '[role="dialog"]' });
  await page.setViewportSize(narrowPhone);
  await expectIntactLayout(dialog, 'deletion');
  const confirm = dialog.getByRole('button', { name: 'Delete account forever' });
  await expect(confirm).toBeDisabled();
  await field.fill('wrong horse');
  await confirm.click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await field.fill(password);
  await field.press('Enter');

  await expect(page).toHaveURL(/\/receipt\?id=[\w-]{22}$/);
  await expect(otherTab).toHaveURL('/auth');
  expect(await readStoredUser(otherTab)).toBeNull();
  const heading = page.getByRole('heading', { level: 1, name: 'Your account is deleted' });
  // The page shows the receipt once the worker has erased the account.
  await expect(heading).toBeFocused({ timeout: 20_000 });
  await expect(page.getByRole('region', { name: 'Erased' })).toContainText('Sign-ins');
  const remaining = page.getByRole('region', { name: 'What is stored about the account now' });
  await expect(remaining).toContainText('Nothing.');
  const receiptAddress = page.url();
  // To count again, the page loads the receipt again; the test needs its JSON.
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

  // The forged receipt fails the check against the server's real keys.
  await page.route('**/api/receipts/*', (route) =>
    route.request().url().endsWith('/keys')
      ? route.continue()
      : route.fulfill({ json: forgeReceipt(receipt) }),
  );
  await page.goto(receiptAddress);
  await page.getByRole('button', { name: 'Check this receipt' }).click();
  await expect(page.getByText(/^Not genuine/)).toBeVisible();
});
