import { expectSoundEverywhere } from './support/soundness.ts';
import { expect, test } from './support/test.ts';

for (const [name, address] of [
  ['Terms', '/terms'],
  ['Privacy', '/privacy'],
] as const) {
  test(`the page ${name} is linked from where visitors sign in, and read without scripts`, async ({
    open,
  }) => {
    const reader = await (await open({ javaScriptEnabled: false })).newPage();
    const answer = await reader.goto(address);
    expect(answer?.status()).toBe(200);
    await expect(reader).toHaveTitle(`${name} · Thaw`);
    await expect(reader.getByRole('heading', { level: 1, name })).toBeVisible();

    const page = await (await open()).newPage();
    for (const from of ['/', '/auth']) {
      await page.goto(from);
      await page.getByRole('link', { name, exact: true }).first().click();
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
      await expect(page).toHaveURL(new RegExp(`${address}$`));
    }
    await page.goto(address);
    await expectSoundEverywhere(page, name);
    await page.getByRole('link', { name: 'Back to the start' }).click();
    await expect(page.getByRole('button', { name: 'Join Anonymously' }).first()).toBeVisible();
  });
}
