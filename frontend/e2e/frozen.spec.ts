import { type CDPSession, type Page } from '@playwright/test';
import { expect, test } from './support/test.ts';

/**
 * Freezes a page, as browsers do with background pages: it runs no timers and receives no WebSocket frames.
 * @returns the session of the developer tools, which can resume the page
 */
const freeze = async (page: Page): Promise<CDPSession> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Page.enable');
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  return devtools;
};

test('a page that was frozen shows every message exactly once when it is resumed', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('before');
  await expect(bob.message('before')).toBeVisible();
  const devtools = await freeze(ada.page);
  for (const n of [1, 2, 3]) await bob.sendMessage(`while frozen ${n}`);
  await expect(bob.message('while frozen 3')).toContainText('Sent');
  await devtools.send('Page.setWebLifecycleState', { state: 'active' });

  await expect(ada.message('while frozen 3')).toBeVisible();
  for (const n of [1, 2, 3]) await expect(ada.message(`while frozen ${n}`)).toHaveCount(1);
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  await ada.sendMessage('after');
  await expect(bob.message('after')).toHaveCount(1);
});
