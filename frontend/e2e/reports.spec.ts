import { expectAccessibleOnPhoneAndDesktop } from './support/accessibility.ts';
import { expectToast } from './support/account.ts';
import { expectIntactLayoutOnSmallScreen } from './support/layout.ts';
import { signInModerator } from './support/moderation.ts';
import { expect, type Person, test } from './support/test.ts';

// Requests for the profile of a blocked user return 404.
test.use({ expectedErrors: [/status of 404/] });

/** Fetches the reports that the user has filed. */
const fetchReports = async ({ page, user }: Person): Promise<unknown[]> => {
  const response = await page.request.get(`/api/reports/${user.id}`);
  return (await response.json()) as unknown[];
};

/** Focuses the button Report of the newest message with the keyboard. On a touch screen, the button is in a sheet. */
const focusReportButton = async (person: Person, { hasTouch }: { hasTouch: boolean }): Promise<void> => {
  const { page } = person;
  await page.getByRole('region', { name: 'Messages' }).focus();
  await page.keyboard.press('ArrowUp');
  if (hasTouch) {
    await page.keyboard.press('Enter');
    await person.button('Report message').focus();
  } else {
    await page.keyboard.press('Tab');
    await expect(person.button('React')).toBeFocused();
    await page.keyboard.press('End');
  }
  await expect(person.button('Report message')).toBeFocused();
};

test('a user reports a message with the keyboard alone, which blocks the partner and stores the evidence', async ({
  openContext,
  pair,
  device: { hasTouch },
}) => {
  const [ada, bob] = await pair();
  await bob.sendMessage('where do you live?');
  await expect(ada.message('where do you live?')).toBeVisible();
  const { page } = ada;
  await focusReportButton(ada, { hasTouch: hasTouch === true });
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Report ${bob.name}` });
  await expect(dialog.getByRole('radio').first()).toBeFocused();
  await expectAccessibleOnPhoneAndDesktop(page, 'report', { within: '[role="dialog"]' });
  await expectIntactLayoutOnSmallScreen(dialog, 'report');

  // From the first reason to the sixth.
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('radio', { name: /private details/ })).toBeChecked();
  await page.keyboard.press('Tab');
  await page.keyboard.type('asked three times');
  await page.keyboard.press('Tab');
  // The checkbox by which the report also blocks the partner. It is checked by default, and stays so.
  await expect(dialog.getByRole('checkbox')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter'); // on Send report
  await expectToast(page, 'Report sent', 'Thank you. We will tell you what came of it.');
  await expect(ada.heading('Ready to chat?')).toBeFocused();
  await expect(bob.page.getByText('Your chat partner skipped this conversation')).toBeVisible();
  expect(await fetchReports(ada)).toEqual([
    expect.objectContaining({ category: 'privacy', state: 'received', blocked: true }),
  ]);

  const moderator = await signInModerator((await openContext()).request);
  const { id, categories } = await moderator.findCase(bob);
  expect(categories).toEqual({ privacy: 1 });
  const { evidence } = await moderator.readCase(id);
  expect(evidence).toEqual([
    expect.objectContaining({
      messages: [
        expect.objectContaining({
          senderId: bob.user.id,
          versions: ['where do you live?'],
          isMarked: true,
        }),
      ],
    }),
  ]);
});

test('a partner who has blocked the user can be reported from Chat History, and a second report is not stored', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  const blocked = await bob.page.request.post('/api/blocks', {
    data: { blockerId: bob.user.id, blockedId: ada.user.id },
  });
  expect(blocked.status()).toBe(201);
  await expect(ada.heading('Chat Ended')).toBeVisible();
  const { page } = ada;
  // The worker writes the history asynchronously, shortly after the match.
  const countHistoryEntries = async (): Promise<number> => {
    const response = await page.request.get(`/api/chat-history/${ada.user.id}`);
    return ((await response.json()) as unknown[]).length;
  };
  await expect.poll(countHistoryEntries).toBe(1);
  // The profile of a user who has blocked the reader is hidden from them.
  const dialog = page.getByRole('dialog', { name: 'Report Unknown User' });
  const history = page.getByRole('dialog', { name: 'Chat History' });
  const reportFromHistory = async (): Promise<void> => {
    await history.getByRole('button', { name: 'More about Unknown User' }).click();
    await page.getByRole('menuitem', { name: 'Report…' }).click();
    await dialog.getByRole('radio', { name: 'They may hurt themselves' }).click();
    // The checkbox by which the report would also block the partner.
    await dialog.getByRole('checkbox').uncheck();
    await dialog.getByRole('button', { name: 'Send report' }).click();
    await expect(
      dialog.getByText('If somebody is in danger now, call your local emergency number.'),
    ).toBeVisible();
  };
  await ada.button('Chat History').click();
  await reportFromHistory();
  await expectAccessibleOnPhoneAndDesktop(page, 'sent report', { within: '[role="dialog"]' });
  // By text, because the X of the dialog is a button named Close, too.
  await dialog.getByText('Close', { exact: true }).click();
  await expect(history.getByRole('button', { name: 'More about Unknown User' })).toBeFocused();
  await reportFromHistory();
  expect(await fetchReports(ada)).toHaveLength(1);
});
