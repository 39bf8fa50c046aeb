import { expectNoOverflow, expectAccessible } from './support/accessibility.ts';
import { expect, test } from './support/test.ts';

const legalPages = [
  ['Terms', '/terms'],
  ['Privacy', '/privacy'],
  ['House rules', '/rules'],
] as const;

test('the landing and sign-in pages link to terms, privacy and house rules, which are accessible and fit a phone', async ({
  openContext,
}) => {
  const page = await (await openContext()).newPage();
  for (const from of ['/', '/auth']) {
    await page.goto(from);
    for (const [name, address] of legalPages)
      await expect(page.getByRole('link', { name, exact: true }).first()).toHaveAttribute('href', address);
  }
  for (const [name, address] of legalPages) {
    await page.getByRole('link', { name, exact: true }).first().click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(page).toHaveURL(address);
    await expectAccessible(page, name);
    await page.goBack();
  }
  await page.setViewportSize({ width: 320, height: 640 });
  for (const [name, address] of legalPages) {
    await page.goto(address);
    await expectNoOverflow(page, name);
  }
  await page.getByRole('link', { name: 'Back to the start' }).click();
  await expect(page.getByRole('button', { name: 'Join Anonymously' }).first()).toBeVisible();
});

test('terms, privacy and house rules can be read without scripts', async ({ openContext }) => {
  const page = await (await openContext({ javaScriptEnabled: false })).newPage();
  for (const [name, address] of legalPages) {
    const response = await page.goto(address);
    expect(response?.status()).toBe(200);
    await expect(page).toHaveTitle(`${name} · Thaw`);
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  }
});
