import { uniqueEmail } from './support/account.ts';
import { expectAccessibleEverywhere } from './support/accessibility.ts';
import { appointModerator } from './support/products.ts';
import { expect, test } from './support/test.ts';

test('a moderator decides a report by keyboard alone, and both users are notified', async ({
  pair,
  open,
}, info) => {
  const [ada, bob] = await pair();
  await bob.sendMessage('send me a picture of you');
  await expect(ada.message('send me a picture of you')).toBeVisible();
  await ada.button('More').click();
  await ada.page.getByRole('menuitem', { name: 'Report…' }).click();
  const report = ada.page.getByRole('dialog', { name: `Report ${bob.name}` });
  await report.getByRole('radio', { name: /^Sexual messages/ }).click();
  await report.getByRole('button', { name: 'Send report' }).click();
  await expect(report).toBeHidden();

  const context = await open();
  const email = uniqueEmail();
  const answer = await context.request.post('/api/register', { data: { email, password: 'correct horse' } });
  const { user } = (await answer.json()) as { user: object };
  await appointModerator(info.parallelIndex, email);
  await context.addInitScript(
    (stored) => {
      if (location.protocol.startsWith('http')) localStorage.setItem('thaw-chat-auth', stored);
    },
    JSON.stringify({ state: { user }, version: 0 }),
  );
  const page = await context.newPage();
  await page.goto('/moderation');
  const row = page.getByRole('listitem').filter({ hasText: bob.name });
  await expect(row).toContainText('Sexual · 1 reporter');
  await expectAccessibleEverywhere(page, 'queue');

  const heading = page.getByRole('heading', { name: new RegExp(`^Case \\d+: ${bob.name}$`) });
  await expect(async () => {
    await page.keyboard.press('j');
    await expect(row.getByRole('button', { name: bob.name })).toBeFocused({ timeout: 500 });
  }).toPass();
  await page.keyboard.press('o');
  await expect(heading).toBeFocused();
  await expect(page.getByText('send me a picture of you')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Person' })).toContainText('Good standing');
  await expectAccessibleEverywhere(page, 'case');

  await page.keyboard.press('d');
  await expect(page.getByRole('radio', { name: 'Dismiss' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Warn' })).toBeChecked();
  await expect(page.getByRole('group', { name: 'What the person sees' })).toContainText('A warning');
  await expect(page.getByRole('button', { name: 'Release' })).toBeVisible();
  await expectAccessibleEverywhere(page, 'decision');
  await page.keyboard.press('Control+Enter');
  await expect(heading).toBeHidden();
  await expect(row).toBeHidden();

  const reply = ada.page.getByRole('dialog', { name: 'Your report' });
  await expect(reply).toContainText('We found a breach of our rules and acted.');
  await expect(bob.page.getByRole('dialog', { name: 'A warning' })).toContainText(
    'you went on with sexual messages or pictures',
  );

  await page.getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByRole('list', { name: 'Entries' })).toContainText('decided');
  await expectAccessibleEverywhere(page, 'audit');
  await page.getByRole('link', { name: 'Figures' }).click();
  await expect(page.getByText('Oldest open case')).toBeVisible();
  await expectAccessibleEverywhere(page, 'figures');
});
