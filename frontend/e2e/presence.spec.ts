import { limits } from '@thaw/contract/limits';
import { pageLimits } from '../src/lib/page-limits';
import { expect, test, type Person } from './support/test.ts';

/** Additional time for a busy machine. */
const extraTimeMs = 10_000;
/** After the grace period, the server ends a chat that no page of a user shows. */
const afterGracePeriod = { timeout: limits.graceAfterCleanCloseMs + extraTimeMs };

/** Expects the partner's page to show the lost connection and then the end of the chat. */
const expectChatToEnd = async (partner: Person): Promise<void> => {
  await expect(partner.page.getByText('Reconnecting…')).toBeVisible();
  await expect(partner.heading('Chat Ended')).toBeVisible(afterGracePeriod);
};

test('a chat ends after the grace period when the user closes its page, navigates to another address, or goes back', async ({
  pair,
}) => {
  // The pairs are matched one after the other, because all users share the queue. Their grace periods run in parallel.
  const [partnerOfClosing, closing] = await pair();
  const [partnerOfNavigating, navigating] = await pair();
  const [partnerOfGoingBack, goingBack] = await pair(
    {},
    // Back needs an earlier page.
    { prepare: async (page) => void (await page.goto('/')) },
  );

  // The landing page in another tab reminds the user of their chat.
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

test('a chat continues if the user returns within the grace period, and while another tab shows it', async ({
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

  // A page that no longer shows the chat would end it itself. No page is left, so the server ends the chat.
  await bob.page.close();
  await secondTab.close();
  await expectChatToEnd(ada);
  await expect(ada.page.getByText('Your chat partner disconnected')).toBeVisible();
});

test('a search ends some time after its tab has navigated to another address', async ({ newcomer }) => {
  const ada = await newcomer({ gender: 'female', prepare: (page) => page.clock.install() });
  await ada.pressFind();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  const sentFrames: string[] = [];
  const receivedFrames: string[] = [];
  ada.page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => sentFrames.push(String(payload)));
    socket.on('framereceived', ({ payload }) => receivedFrames.push(String(payload)));
  });
  await ada.page.goto('/');
  // The new page receives the state of the search. It ends the search only after a delay.
  await expect.poll(() => receivedFrames.some((frame) => frame.includes('"searching"'))).toBe(true);
  expect(sentFrames.some((frame) => frame.includes('leave_queue'))).toBe(false);
  await ada.page.clock.runFor(pageLimits.leaveChatDelayMs);
  await expect
    .poll(() => sentFrames.some((frame) => frame.includes('leave_queue')), {
      timeout: pageLimits.leaveChatDelayMs + extraTimeMs,
    })
    .toBe(true);
});
