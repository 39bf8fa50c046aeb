import { type Page } from '@playwright/test';
import {
  expectAccessible,
  expectAccessibleDialog,
  expectAccessibleOnPhoneAndDesktop,
} from './support/accessibility.ts';
import { expectIntactLayoutOnSmallScreen } from './support/layout.ts';
import { openModeration, reportByHttp, signInModerator } from './support/moderation.ts';
import { expect, test, type Person } from './support/test.ts';

// For the test of a ban: a request in flight when its user is banned returns 403, which the browser logs as an error.
test.use({ expectedErrors: [/status of 403/] });

/** A PNG of one pixel. */
const photo = {
  name: 'dot.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
    'base64',
  ),
};

const createCaseTitlePattern = ({ name }: Person): RegExp => new RegExp(`^Case \\d+: ${name}$`);

/** Reports the partner of a random chat for sexual messages. */
const reportPartner = async (reporter: Person, partner: Person): Promise<void> => {
  await reporter.button('More').click();
  await reporter.page.getByRole('menuitem', { name: 'Report…' }).click();
  const report = reporter.page.getByRole('dialog', { name: `Report ${partner.name}` });
  await report.getByRole('radio', { name: /^Sexual messages/ }).click();
  await report.getByRole('button', { name: 'Send report' }).click();
  await expect(report).toBeHidden();
};

const expectBlockedImageAndUnblockIt = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Images' }).click();
  await expect(page.getByRole('list', { name: 'Blocked images' }).getByRole('listitem')).toContainText(
    'by you',
  );
  await expectAccessibleOnPhoneAndDesktop(page, 'images');
  await page.getByRole('button', { name: 'Unblock…' }).click();
  await expectAccessibleDialog(page, 'Unblock this image?');
  await page.getByRole('button', { name: 'Unblock', exact: true }).click();
  await expect(page.getByText('No image is blocked.')).toBeVisible();
};

test('a moderator decides a case with the keyboard, and both users are notified', async ({
  pair,
  openContext,
}) => {
  test.slow();
  const [ada, bob] = await pair();
  await bob.page.locator('input[type=file]').setInputFiles(photo);
  await bob.sendMessage('send me a picture of you');
  await expect(ada.message('send me a picture of you')).toBeVisible();
  await reportPartner(ada, bob);

  const page = await openModeration(await openContext());
  const row = page.getByRole('listitem').filter({ hasText: bob.name });
  await expect(row).toContainText('Sexual · 1 reporter');
  await expectAccessibleOnPhoneAndDesktop(page, 'queue');

  const heading = page.getByRole('heading', { name: createCaseTitlePattern(bob) });
  // The key j moves to the next case; cases of other tests may come first.
  await expect(async () => {
    await page.keyboard.press('j');
    await expect(row.getByRole('button', { name: bob.name })).toBeFocused({ timeout: 500 });
  }).toPass();
  // The key o opens the case.
  await page.keyboard.press('o');
  await expect(heading).toBeFocused();
  await expect(page.getByText('send me a picture of you')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Person' })).toContainText('Good standing');
  await expectAccessibleOnPhoneAndDesktop(page, 'case');
  await page.getByRole('button', { name: /^Show image/ }).click();
  await expect(page.getByRole('img', { name: /of the evidence$/ })).toBeVisible();
  // The focus is now on the button that hides the image.
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Show image/ })).toBeVisible();
  // The key u explains the urgency, by which the queue is sorted.
  await page.keyboard.press('u');
  await expectAccessibleDialog(page, 'How the urgency is made up');
  await page.keyboard.press('Escape');
  await expect(heading).toBeVisible();
  const escalate = page.getByRole('button', { name: 'Escalate…' });
  await escalate.click();
  await expectAccessibleDialog(page, 'Escalate this case');
  await page.keyboard.press('Escape');
  await expect(escalate).toBeFocused();

  // The key d opens the decision.
  await page.keyboard.press('d');
  await expect(page.getByRole('radio', { name: 'Dismiss' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Warn' })).toBeChecked();
  await expect(page.getByRole('group', { name: 'What the person sees' })).toContainText('A warning');
  // Opening the decision has claimed the case: no other moderator can decide it until it is released.
  await expect(page.getByRole('button', { name: 'Release' })).toBeVisible();
  await expectAccessibleOnPhoneAndDesktop(page, 'decision');
  await expectIntactLayoutOnSmallScreen(page.locator('body'), 'case with its decision');
  // The form has suggested the rule and the text for the category of the report, so nothing needs to be typed. The
  // checkbox makes the decision block the image as well. Ctrl+Enter submits the decision.
  await page.getByRole('checkbox', { name: /^Image/ }).press('Space');
  await page.keyboard.press('Control+Enter');
  await expect(heading).toBeHidden();
  await expect(row).toBeHidden();
  await expect(page.getByRole('banner').getByText(/^Case \d+ is decided\.$/)).toBeVisible();

  const reportNotice = ada.page.getByRole('dialog', { name: 'Your report' });
  await expect(reportNotice).toContainText('We found a breach of our rules and acted.');
  await expect(bob.page.getByRole('dialog', { name: 'A warning' })).toContainText(
    'you went on with sexual messages or pictures',
  );

  await expectBlockedImageAndUnblockIt(page);
  await page.getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByRole('list', { name: 'Entries' })).toContainText('decided');
  await expectAccessibleOnPhoneAndDesktop(page, 'audit');
  await page.getByRole('link', { name: 'Figures' }).click();
  await expect(page.getByText('Oldest open case')).toBeVisible();
  await expectAccessibleOnPhoneAndDesktop(page, 'figures');
  await expectIntactLayoutOnSmallScreen(page.locator('main'), 'figures');
});

test('a moderator bans a user, and another one confirms the ban and decides the appeal', async ({
  openContext,
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  const firstModerator = await signInModerator((await openContext()).request);
  // The report names no random chat, so it is about the private chat of the two, who are friends.
  await reportByHttp(ada, bob, { category: 'threat', words: 'did not stop' });
  const ban = { outcome: 'banned', rule: 'no_threats', facts: 'You threatened your partner.' };
  await firstModerator.decide(bob, ban);
  await expect(bob.heading('Your account is closed')).toBeVisible();

  // Each number is the account of another moderator; the first has number 1.
  const secondModerator = 2;
  const page = await openModeration(await openContext(), secondModerator);
  const row = page.getByRole('listitem').filter({ hasText: bob.name });
  await expect(row).toContainText('Ban to confirm');
  await row.getByRole('button', { name: bob.name }).click();
  await page.getByRole('button', { name: 'Decide', exact: true }).click();
  const confirmationForm = page.getByRole('form', { name: 'Confirm the ban' });
  await expect(confirmationForm).toContainText('You threatened your partner.');
  await confirmationForm.getByRole('radio', { name: 'Confirm', exact: true }).check();
  await expectAccessibleOnPhoneAndDesktop(page, 'confirmation', { within: 'form' });
  await confirmationForm.getByRole('button', { name: 'Confirm the ban' }).click();
  // Where the test runs with a phone's screen, the queue is now under the pointer. While it is, no row disappears.
  await page.mouse.move(0, 0);
  await expect(row).toBeHidden();

  const noticesResponse = await bob.page.request.get(`/api/notices/${bob.user.id}`);
  const notices = (await noticesResponse.json()) as { id: number }[];
  const appeal = { userId: bob.user.id, noticeId: notices[0]?.id, words: 'It was a quote from a film.' };
  expect((await bob.page.request.post('/api/appeals', { data: appeal })).status()).toBe(201);
  // The page may have opened the next case, which on a phone hides the queue. Open the queue again.
  await page.goto('/moderation');
  await expect(row).toContainText('Appeal');
  await row.getByRole('button', { name: bob.name }).click();
  await expect(page.getByRole('heading', { name: createCaseTitlePattern(bob) })).toBeFocused();
  // The key d moves to the first choice of the form, and Space selects it.
  await page.keyboard.press('d');
  const appealForm = page.getByRole('form', { name: 'Decide the appeal' });
  await expect(appealForm).toContainText('It was a quote from a film.');
  await page.keyboard.press('Space');
  await expect(appealForm.getByRole('radio', { name: 'Uphold' })).toBeChecked();
  await appealForm
    .getByRole('textbox', { name: 'Answer' })
    .fill('The film has no such scene, and you went on.');
  await expect(appealForm.getByRole('group', { name: 'What the person sees' })).toContainText(
    'The decision stands.',
  );
  await expectAccessible(page, 'appeal', { within: 'form' });
  await expectIntactLayoutOnSmallScreen(appealForm, 'appeal');
  await appealForm.getByRole('textbox', { name: 'Answer' }).press('Control+Enter');
  await expect(appealForm).toBeHidden();

  await bob.page.reload();
  const appealNotice = bob.page.getByRole('dialog', { name: 'Your appeal' });
  await expect(appealNotice).toContainText('The film has no such scene, and you went on.');
  await appealNotice.getByRole('button', { name: 'I understand' }).click();
  await expect(appealNotice).toBeHidden();
  await expect(bob.page.locator('main')).toContainText('The decision stands.');
  await expectAccessibleOnPhoneAndDesktop(bob.page, 'page of a closed account');
});
