import { limits } from '@thaw/contract/limits';
import { pageLimits } from '../src/lib/page-limits';
import { expect, test, type Person } from './support/test.ts';

/** The grace period after a clean close, plus time for a busy machine. */
const grace = { timeout: limits.graceAfterCleanCloseMs + 10_000 };

const expectChatToEnd = async (partner: Person): Promise<void> => {
  await expect(partner.page.getByText('Reconnecting…')).toBeVisible();
  await expect(partner.heading('Chat Ended')).toBeVisible(grace);
};

test('a chat that no page shows ends after the grace period, however it was left', async ({ pair }) => {
  // Start the chats one after the other, since they share the queue; then all wait for the grace period together.
  const byClosing = await pair();
  const byAddress = await pair();
  // Opened /chat by its address, from another page.
  const byBack = await pair({}, { prepare: async (page) => void (await page.goto('/')) });

  const landing = await byClosing[1].page.context().newPage();
  await landing.goto('/');
  const reminder = landing.getByRole('status', { name: 'Your chat' });
  await expect(reminder).toContainText(byClosing[0].name);
  await expect(byClosing[0].page.getByText('Here with you')).toBeVisible();
  await byClosing[0].sendMessage('still there?');
  await expect(reminder).toContainText('1 new message');
  await expect(landing).toHaveTitle(/^\(1\) /);

  await byClosing[1].page.close();
  await byAddress[1].page.goto('/');
  await byBack[1].page.goBack();
  await expect(byBack[1].page).toHaveURL('/');
  await Promise.all([byClosing, byAddress, byBack].map(([left]) => expectChatToEnd(left)));
  await expect(reminder).toBeHidden();
});

test('a chat continues for users who return in time, and while any tab shows it', async ({ pair }) => {
  const [ada, bob] = await pair();
  await bob.page.goto('/');
  await expect(ada.page.getByText('Reconnecting…')).toBeVisible();
  await bob.page.getByRole('link', { name: 'Back to the chat' }).click();
  await expect(bob.heading(ada.name)).toBeVisible();
  await expect(ada.page.getByText('Here with you')).toBeVisible();

  const second = await bob.page.context().newPage();
  await second.goto('/chat');
  await expect(second.getByRole('heading', { name: ada.name, exact: true })).toBeVisible();
  await bob.page.goto('/');
  await expect(bob.page.getByRole('status', { name: 'Your chat' })).toContainText(ada.name);
  await ada.sendMessage('both tabs?');
  await expect(bob.page.getByRole('status', { name: 'Your chat' })).toContainText('1 new message');
  await expect(ada.page.getByText('Here with you')).toBeVisible();

  // Without a page that could end the chat, the server does.
  await bob.page.close();
  await second.close();
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
  await expect
    .poll(() => sent.some((frame) => frame.includes('leave_queue')), { timeout: grace.timeout })
    .toBe(true);
});
