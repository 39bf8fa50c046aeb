import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { Connection } from './support/connection.ts';
import { expect, test } from './support/test.ts';

test('a reload continues the chat, without lost or duplicate messages', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('before');
  await bob.sendMessage('the reload');
  await expect(ada.message('the reload')).toBeVisible();

  await ada.page.reload();
  await expect(ada.heading(bob.name)).toBeVisible();
  await expect(ada.message('before')).toHaveCount(1);
  await expect(ada.message('the reload')).toHaveCount(1);
  // The welcome notice.
  await expect(ada.message('You are now chatting with')).toHaveCount(1);

  await bob.sendMessage('after');
  await expect(ada.message('after')).toHaveCount(1);
  await ada.sendMessage('indeed');
  await expect(bob.message('indeed')).toHaveCount(1);
  await expect(bob.message('before')).toHaveCount(1);
});

test('after a reconnect the chat continues with the unsent text; if the partner has skipped, the page says so', async ({
  pair,
}) => {
  let network: Connection | undefined;
  const [ada, bob] = await pair({
    prepare: async (page) => {
      network = await Connection.intercept(page);
    },
  });
  await ada.sendMessage('before');
  await expect(bob.message('before')).toBeVisible();

  await network?.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  await expect(bob.page.getByText('Reconnecting…')).toBeVisible();
  await ada.sendMessage('while away');
  await expect(ada.page.getByText('Not sent: reconnecting')).toBeVisible();
  await expect(ada.field).toHaveValue('while away');
  await expect(ada.message('while away')).toHaveCount(0);
  await bob.sendMessage('are you there?');
  await expect(bob.message('are you there?')).toContainText('Sent');

  network?.restore();
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  await expect(ada.message('are you there?')).toHaveCount(1);
  await expect(ada.message('You are now chatting with')).toHaveCount(1);
  await expect(ada.message('before')).toHaveCount(1);
  await expect(bob.page.getByText('Reconnecting…')).toBeHidden();
  await expect(ada.page.getByText('Not sent: reconnecting')).toBeHidden();
  await expect(ada.field).toHaveValue('while away');
  await ada.field.press('Enter');
  await expect(bob.message('while away')).toHaveCount(1);

  await network?.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  await bob.skip();
  network?.restore();
  await expect(ada.heading('Chat Ended')).toBeVisible();
  await expect(ada.page.getByText('Your chat partner skipped this conversation')).toBeVisible();
});

test('after five failed attempts to reconnect, the page offers a Reconnect button, which reconnects', async ({
  newcomer,
}) => {
  let network: Connection | undefined;
  const ada = await newcomer({
    prepare: async (page) => {
      await page.clock.install();
      network = await Connection.intercept(page);
    },
  });
  await network?.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  await expect(ada.button('Connecting...')).toBeDisabled();
  for (let attempt = 1; attempt <= limits.reconnectAttempts; attempt += 1) {
    await ada.page.clock.runFor(reconnectDelayMs(attempt));
    // `attemptCount` includes the first connection.
    await expect.poll(() => network?.attemptCount).toBe(attempt + 1);
  }
  const reconnect = ada.button('Reconnect');
  await expect(reconnect).toBeVisible();
  network?.restore();
  await reconnect.click();
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  await expect(reconnect).toBeHidden();
  await expect(ada.button('Find Conversation')).toBeEnabled();
});

test('a search survives a lost connection and a reload', async ({ newcomer }) => {
  let network: Connection | undefined;
  const ada = await newcomer({
    gender: 'female',
    prepare: async (page) => {
      network = await Connection.intercept(page);
    },
  });
  await ada.pressFind();
  await network?.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  network?.restore();
  await expect(ada.page.getByText('Connected', { exact: true })).toBeVisible();
  await ada.page.reload();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  const bob = await newcomer({ gender: 'male' });
  await bob.pressFind();
  await expect(ada.heading(bob.name)).toBeVisible();
});
