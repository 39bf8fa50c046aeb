import { limits } from '@thaw/contract/limits';
import { pageLimits } from '../src/lib/page-limits';
import { expect, test, type Person } from './support/test.ts';

/** The grace period after a clean close, plus ten seconds for a busy machine. */
const afterGracePeriod = { timeout: limits.graceAfterCleanCloseMs + 10_000 };

const expectChatToEnd = async (partner: Person): Promise<void> => {
  await expect(partner.page.getByText('Reconnecting…')).toBeVisible();
  await expect(partner.heading('Chat Ended')).toBeVisible(afterGracePeriod);
};

test('a chat ends after the grace period when the user closed its page, left it by address, or went back', async ({
  pair,
}) => {
  // The pairs are matched one after the other, because they share the queue. Their grace periods run in parallel.
  const [partnerOfClosing, closing] = await pair();
  const [partnerOfNavigating, navigating] = await pair();
  const [partnerOfGoingBack, goingBack] = await pair(
    {},
    { prepare: async (page) => void (await page.goto('/')) },
  );

  const landing = await closing.page.context().newPage();
  await landing.goto('/');
  const reminder = landing.getByRole('status', { name: 'Your chat' });
  await expect(reminder).toContainText(partnerOfClosing.name);
  await expect(partnerOfClosing.page.getByText('Here with you')).toBeVisible();
  await partnerOfClosing.sendMessage('still there?');
  await expect(reminder).toContainText('1 new message');
  await expect(landing).toHaveTitle(/^\(1\) /);

  await closing.page.close();
  await navigating.page.goto('/');
  await goingBack.page.goBack();
  await expect(goingBack.page).toHaveURL('/');
  await Promise.all([partnerOfClosing, partnerOfNavigating, partnerOfGoingBack].map(expectChatToEnd));
  await expect(reminder).toBeHidden();
});

test('a chat continues if the user returns within the grace period, and while any tab shows it', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await bob.page.goto('/');
  await expect(ada.page.getByText('Reconnecting…')).toBeVisible();
  await bob.page.getByRole('link', { name: 'Back to the chat' }).click();
  await expect(bob.heading(ada.name)).toBeVisible();
  await expect(ada.page.getByText('Here with you')).toBeVisible();

  const secondTab = await bob.page.context().newPage();
  await secondTab.goto('/chat');
  await expect(secondTab.getByRole('heading', { name: ada.name, exact: true })).toBeVisible();
  await bob.page.goto('/');
  await expect(bob.page.getByRole('status', { name: 'Your chat' })).toContainText(ada.name);
  await ada.sendMessage('both tabs?');
  await expect(bob.page.getByRole('status', { name: 'Your chat' })).toContainText('1 new message');
  await expect(ada.page.getByText('Here with you')).toBeVisible();

  // No page is left that could end the chat, so the server ends it.
  await bob.page.close();
  await secondTab.close();
  await expectChatToEnd(ada);
  await expect(ada.page.getByText('Your chat partner disconnected')).toBeVisible();
});

test('a search ends when its tab navigates to another address', async ({ newcomer }) => {
  const ada = await newcomer({ gender: 'female', prepare: (page) => page.clock.install() });
  await ada.pressFind();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  const sent: string[] = [];
  const received: string[] = [];
  ada.page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => sent.push(String(payload)));
    socket.on('framereceived', ({ payload }) => received.push(String(payload)));
  });
  await ada.page.goto('/');
  await expect.poll(() => received.some((frame) => frame.includes('"searching"'))).toBe(true);
  expect(sent.some((frame) => frame.includes('leave_queue'))).toBe(false);
  await ada.page.clock.runFor(pageLimits.leaveChatDelayMs);
  await expect.poll(() => sent.some((frame) => frame.includes('leave_queue')), afterGracePeriod).toBe(true);
});
