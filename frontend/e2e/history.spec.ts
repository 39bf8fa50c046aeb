import { expect, type Person, test } from './support/test.ts';

const getHistoryDialog = ({ page }: Person) => page.getByRole('dialog', { name: 'Chat History' });

// The test mocks a 404 response to the request for a partner's profile.
test.use({ expectedErrors: [/status of 404/] });

test('the chat history lists the newest partner first, even one without a profile, and sends friend requests', async ({
  pair,
  newcomer,
}) => {
  const [ada, bob] = await pair();
  await ada.skip();
  const cyd = await newcomer();
  await cyd.button('Chat History').click();
  await expect(getHistoryDialog(cyd).getByText('No chat history yet')).toBeVisible();
  await cyd.page.keyboard.press('Escape');
  await cyd.pressFind(); // Ada is already searching: a skip starts the next search
  await expect(ada.heading(cyd.name)).toBeVisible();

  // The worker writes the history asynchronously, shortly after the match.
  const countEntries = async (): Promise<number> => {
    const response = await ada.page.request.get(`/api/chat-history/${ada.user.id}`);
    return ((await response.json()) as unknown[]).length;
  };
  await expect.poll(countEntries).toBe(2);

  await ada.page.route(`**/api/user/${cyd.user.id}`, (route) => route.fulfill({ status: 404, json: {} }));
  await ada.button('Chat History').click();
  const entries = getHistoryDialog(ada).getByRole('listitem');
  await expect(entries).toHaveCount(2);
  await expect(entries.nth(0)).toContainText('Unknown User');
  // The entry of a partner whose profile is unavailable has no button except its menu.
  await expect(entries.nth(0).getByRole('button')).toHaveAccessibleName('More about Unknown User');
  await expect(entries.nth(1)).toContainText(bob.name);
  await expect(entries.nth(1)).toContainText('A few minutes ago');

  await entries.nth(1).getByRole('button', { name: 'Add Friend' }).click();
  await expect(entries.nth(1).getByRole('button', { name: 'Sent!' })).toBeDisabled();
  await expect(bob.page.getByRole('button', { name: /^Friend Requests ?1 pending$/ })).toBeVisible();
  // The request went to Bob, so the toolbar still offers one to Cyd, the current partner.
  await getHistoryDialog(ada).getByRole('button', { name: 'Close' }).click();
  await expect(ada.button('Add Friend')).toBeEnabled();
});
