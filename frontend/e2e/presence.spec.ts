import { type Page } from '@playwright/test';
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

const openLanding = async (page: Page): Promise<void> => void (await page.goto('/'));

/** The part of the landing page that reminds the user of their chat. */
const findReminder = (landing: Page) => landing.getByRole('status', { name: 'Your chat' });

/** Expects the landing page to remind the user of their chat with the partner, and to count the partner's message. */
const expectReminder = async (landing: Page, partner: Person): Promise<void> => {
  await expect(findReminder(landing)).toContainText(partner.name);
  await partner.sendMessage('still there?');
  await expect(findReminder(landing)).toContainText('1 new message');
  // The partner still sees the user in the chat, because another tab of the user shows it.
  await expect(partner.page.getByText('Here with you')).toBeVisible();
};

test('a chat ends after the grace period when the user closes its page, navigates to another address, or goes back', async ({
  pair,
}) => {
  // The pairs are matched one after the other, because all users share the queue. Their grace periods run in parallel.
  const [partnerOfClosing, closing] = await pair();
  const [partnerOfNavigating, navigating] = await pair();
  // Going back needs an earlier page.
  const [partnerOfGoingBack, goingBack] = await pair({}, { prepare: openLanding });

  const landing = await closing.page.context().newPage();
  await openLanding(landing);
  await expectReminder(landing, partnerOfClosing);
  await expect(landing).toHaveTitle(/^\(1\) /);

  await closing.page.close();
  await navigating.page.goto('/');
  await goingBack.page.goBack();
  await expect(goingBack.page).toHaveURL('/');
  await Promise.all([partnerOfClosing, partnerOfNavigating, partnerOfGoingBack].map(expectChatToEnd));
  await expect(findReminder(landing)).toBeHidden();
});

test('a chat continues if the user returns within the grace period', async ({ pair }) => {
  const [ada, bob] = await pair();
  await bob.page.goto('/');
  await expect(ada.page.getByText('Reconnecting…')).toBeVisible();
  await bob.page.getByRole('link', { name: 'Back to the chat' }).click();
  await expect(bob.heading(ada.name)).toBeVisible();
  await expect(ada.page.getByText('Here with you')).toBeVisible();
});

test('a chat continues while another tab shows it, and ends after all tabs are closed', async ({ pair }) => {
  const [ada, bob] = await pair();
  const secondTab = await bob.page.context().newPage();
  await secondTab.goto('/chat');
  await expect(secondTab.getByRole('heading', { name: ada.name, exact: true })).toBeVisible();
  await bob.page.goto('/');
  await expectReminder(bob.page, ada);

  // Without any page of the user, only the server can end the chat.
  await bob.page.close();
  await secondTab.close();
  await expectChatToEnd(ada);
  await expect(ada.page.getByText('Your chat partner disconnected')).toBeVisible();
});

const hasFrame = (frames: readonly string[], text: string): boolean =>
  frames.some((frame) => frame.includes(text));

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
  await expect.poll(() => hasFrame(receivedFrames, '"searching"')).toBe(true);
  expect(hasFrame(sentFrames, 'leave_queue')).toBe(false);
  await ada.page.clock.runFor(pageLimits.leaveChatDelayMs);
  // If the page starts its timer only after `runFor`, the timer takes the whole delay.
  const timeout = pageLimits.leaveChatDelayMs + extraTimeMs;
  await expect.poll(() => hasFrame(sentFrames, 'leave_queue'), { timeout }).toBe(true);
});
