import { type CDPSession, type Page } from '@playwright/test';
import { expect, test } from './support/test.ts';

/** Freezes a background page as the browser does: no timers and no frames until it is resumed. */
const freeze = async (page: Page): Promise<CDPSession> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.enable');
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  return session;
};

test('a page that was frozen shows every message once and in order when it is resumed', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('before');
  await expect(bob.message('before')).toBeVisible();
  const frozen = await freeze(ada.page);
  for (const n of [1, 2, 3]) await bob.sendMessage(`while frozen ${n}`);
  await expect(bob.message('while frozen 3')).toContainText('Sent');
  await frozen.send('Page.setWebLifecycleState', { state: 'active' });

  await expect(ada.message('while frozen 3')).toBeVisible();
  for (const n of [1, 2, 3]) await expect(ada.message(`while frozen ${n}`)).toHaveCount(1);
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  await ada.sendMessage('after');
  await expect(bob.message('after')).toHaveCount(1);
});
