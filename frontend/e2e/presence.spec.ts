import { limits } from '@thaw/contract/limits';
import { pageLimits } from '../src/lib/page-limits';
import { expect, test, type Person } from './support/test.ts';

/** The grace time after a clean close, and a while for a busy machine. */
const grace = { timeout: limits.graceAfterCleanCloseMs + 10_000 };

const expectLeftAlone = async (partner: Person): Promise<void> => {
  await expect(partner.page.getByText('Reconnecting…')).toBeVisible();
  await expect(partner.heading('Chat Ended')).toBeVisible(grace);
};

test('a chat whose tab is closed ends although the landing page is open in another tab', async ({ pair }) => {
  const [ada, bob] = await pair();
  const landing = await bob.page.context().newPage();
  await landing.goto('/');
  const reminder = landing.getByRole('status', { name: 'Your chat' });
  await expect(reminder).toContainText(ada.name);
  await expect(ada.page.getByText('Here with you')).toBeVisible();
  await ada.say('still there?');
  await expect(reminder).toContainText('1 new message');
  await expect(landing).toHaveTitle(/^\(1\) /);

  await bob.page.close();
  await expectLeftAlone(ada);
  await expect(reminder).toBeHidden();
});

test('a chat left by typing the address of the landing page ends after the grace time', async ({ pair }) => {
  const [ada, bob] = await pair();
  await bob.page.goto('/');
  await expectLeftAlone(ada);
});

test('a chat left by Back ends after the grace time', async ({ pair }) => {
  // Came to /chat by its address, from a page of its own.
  const [ada, bob] = await pair({}, { prepare: async (page) => void (await page.goto('/')) });
  await bob.page.goBack();
  await expect(bob.page).toHaveURL('/');
  await expectLeftAlone(ada);
});

test('a chat goes on for those who are back in time, and while another tab shows it', async ({ pair }) => {
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
  await ada.say('both tabs?');
  await expect(bob.page.getByRole('status', { name: 'Your chat' })).toContainText('1 new message');
  await expect(ada.page.getByText('Here with you')).toBeVisible();
});

test('a search ends when its tab was left by typing another address', async ({ newcomer }) => {
  const ada = await newcomer({ gender: 'female' });
  await ada.find();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  const left = ada.page.waitForEvent('websocket', { predicate: (socket) => socket.url().endsWith('/ws') });
  await ada.page.goto('/');
  const socket = await left;
  await socket.waitForEvent('framesent', {
    predicate: ({ payload }) => String(payload).includes('leave_queue'),
    timeout: pageLimits.leaveChatDelayMs + 10_000,
  });
});
