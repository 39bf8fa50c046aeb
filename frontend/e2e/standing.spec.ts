import { expectAccessibleDialog, expectAccessibleEverywhere } from './support/accessibility.ts';
import { expectSoundLayout } from './support/layout.ts';
import { createModerator, reportByHttp } from './support/moderation.ts';
import { expect, type Person, test } from './support/test.ts';

// Requests that were under way at the moment of the suspension.
test.use({ expectedErrors: [/status of 403/] });

const weekMs = 7 * 24 * 60 * 60_000;
const facts = 'You went on asking for pictures after your partner had said no.';

/** The id of the first entry of a user's chat history, which is written shortly after the match. */
const findHistoryId = async ({ page, user }: Person): Promise<number> => {
  let id: number | undefined;
  await expect
    .poll(async () => {
      const answer = await page.request.get(`/api/chat-history/${user.id}`);
      id = ((await answer.json()) as { id: number }[])[0]?.id;
      return id;
    })
    .toBeDefined();
  return id!;
};

test('a suspension in the middle of a chat leads to the standing page, and a reversed appeal back', async ({
  open,
  pair,
}) => {
  test.slow();
  const [ada, bob] = await pair({}, { prepare: (page) => page.clock.install() });
  const { page } = bob;
  const moderators = await Promise.all([1, 2].map(async () => createModerator((await open()).request)));
  await reportByHttp(ada, bob, { category: 'sexual', historyId: await findHistoryId(ada) });
  await moderators[0]!.decide(bob, {
    outcome: 'suspended',
    rule: 'no_unwanted_sexual',
    facts,
    until: new Date(Date.now() + weekMs).toISOString(),
  });
  await expect(bob.heading('Your account is paused')).toBeFocused();
  await expect(page.getByText(facts)).toBeVisible();
  await expect(page.getByText('Rule: Nothing sexual that the other does not want.')).toBeVisible();
  await expect(page.getByRole('textbox')).toBeHidden();
  await expect(ada.page.getByText('Your chat partner disconnected')).toBeVisible();

  const answer = ada.page.getByRole('dialog', { name: 'Your report' });
  await expect(answer).toContainText('We found a breach of our rules and acted.');
  await expectAccessibleDialog(ada.page, 'Your report');
  await answer.getByRole('button', { name: 'I understand' }).click();
  await expect(answer).toBeHidden();

  await page.reload();
  await expect(bob.heading('Your account is paused')).toBeVisible();
  await expectAccessibleEverywhere(page, 'standing page');
  await page.setViewportSize({ width: 320, height: 700 });
  await expectSoundLayout(page.locator('main'), 'standing page');
  await expect(page.getByRole('heading', { name: 'Your account is paused' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(bob.button('Appeal')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Tell us what we got wrong.' })).toBeFocused();
  await expectAccessibleEverywhere(page, 'appeal', { within: '[role="dialog"]' });
  await page.keyboard.type('We had agreed on it.');
  await page.keyboard.press('Tab');
  const [sent] = await Promise.all([page.waitForResponse(/\/api\/appeals$/), page.keyboard.press('Enter')]);
  const appeal = (await sent.json()) as { id: number };
  const dialog = page.getByRole('dialog', { name: 'Appeal' });
  await expect(dialog).toContainText('Your appeal is being looked at by another moderator.');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Your appeal is being looked at by another moderator.')).toBeVisible();
  await expect(bob.button('Appeal')).toBeHidden();

  await moderators[1]!.decideAppeal(bob, appeal.id, {
    outcome: 'reversed',
    answer: 'The messages show that both of you had agreed on it.',
  });
  // The page asks once a minute, without a reload.
  await page.clock.fastForward(60_000);
  const notice = page.getByRole('dialog');
  await expect(notice).toBeVisible();
  await expectAccessibleEverywhere(page, 'notice', { within: '[role="dialog"]' });
  while (await notice.isVisible()) {
    const name = await notice.getByRole('heading').textContent();
    await notice.getByRole('button', { name: 'I understand' }).click();
    await expect(page.getByRole('dialog', { name: name ?? '' })).toBeHidden();
  }
  await expect(bob.button('Find Conversation')).toBeEnabled();
});

test('a user with an account who is suspended may sign in, read why, and sign out', async ({
  open,
  friends,
}) => {
  const [ada, bob] = await friends();
  const moderator = await createModerator((await open()).request);
  await reportByHttp(ada, bob, { category: 'hate' });
  await bob.page.goto('/terms');
  await moderator.decide(bob, { outcome: 'banned', rule: 'no_hate', facts });
  await bob.page.goto('/chat');
  await expect(bob.heading('Your account is closed')).toBeVisible();
  await expect(bob.page.getByText('Without an end')).toBeVisible();
  await bob.page.getByRole('banner').getByRole('button', { name: 'Logout' }).click();
  await expect(bob.page).toHaveURL('/auth');
});
