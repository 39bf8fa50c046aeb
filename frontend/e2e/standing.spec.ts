import { type Notice, type Standing } from '@thaw/contract/safety';
import { type BrowserContext, type Page } from '@playwright/test';
import {
  expectAccessible,
  expectAccessibleDialog,
  expectAccessibleOnPhoneAndDesktop,
} from './support/accessibility.ts';
import { openSettings, readStoredUser, createEmail } from './support/account.ts';
import { expectIntactLayoutOnSmallScreen } from './support/layout.ts';
import { reportByHttp, signInModerator } from './support/moderation.ts';
import { expect, type Person, test } from './support/test.ts';

// The standing of a user says whether they may use the chat. Besides a good standing there are `care` (moderation has
// flagged the user, who is matched only with other flagged users), `age_question` (the user must answer whether they
// are an adult), a suspension and a ban. Notices inform users of decisions about them, and of decisions about their
// reports and appeals.

// Requests that are in flight during a suspension return 403. Requests about notices that exist only in mocked
// responses return 404.
test.use({ expectedErrors: [/status of (403|404)/] });

const standingPageRefreshMs = 60_000;
const weekMs = 7 * 24 * 60 * 60_000;
/** The moderator's reason, which the notice shows to the user. */
const suspensionFacts = 'You went on asking for pictures after your partner had said no.';

/**
 * Waits until the worker has written the user's only chat to their history.
 * @returns the id of the entry
 */
const waitForHistoryId = async ({ page, user }: Person): Promise<number> => {
  let id: number | undefined;
  await expect
    .poll(async () => {
      const response = await page.request.get(`/api/chat-history/${user.id}`);
      id = ((await response.json()) as { id: number }[])[0]?.id;
      return id;
    })
    .toBeDefined();
  return id!;
};

/**
 * Files an appeal on the standing page, whose heading has the focus, with the keyboard.
 * @returns the id of the appeal
 */
const appealByKeyboard = async (person: Person): Promise<number> => {
  const { page } = person;
  await page.keyboard.press('Tab');
  await expect(person.button('Appeal')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Tell us what we got wrong.' })).toBeFocused();
  await expectAccessibleOnPhoneAndDesktop(page, 'appeal', { within: '[role="dialog"]' });
  // The counter of characters is present while it is empty: screen readers announce only changes of existing elements.
  await expect(page.getByRole('dialog').getByRole('status')).toBeEmpty();
  await page.keyboard.type('We had agreed on it.');
  await page.keyboard.press('Tab');
  const [response] = await Promise.all([
    page.waitForResponse(/\/api\/appeals$/),
    page.keyboard.press('Enter'),
  ]);
  const appeal = (await response.json()) as { id: number };
  const dialog = page.getByRole('dialog', { name: 'Appeal' });
  await expect(dialog).toContainText('Your appeal is being looked at by another moderator.');
  // The dialog has moved the focus to its close button.
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  return appeal.id;
};

/** Closes the dialog of each unread notice. The next one opens when the one before it is closed. */
const closeNotices = async (page: Page): Promise<void> => {
  const dialog = page.getByRole('dialog');
  while (await dialog.isVisible()) {
    const name = await dialog.getByRole('heading').textContent();
    await dialog.getByRole('button', { name: 'I understand' }).click();
    await expect(page.getByRole('dialog', { name: name ?? '' })).toBeHidden();
  }
};

/** Deletes all cookies except the one that identifies the device. */
const keepOnlyDeviceCookie = async (context: BrowserContext): Promise<void> => {
  const cookies = await context.cookies();
  await context.clearCookies();
  // On HTTPS, the name has the prefix `__Host-`.
  await context.addCookies(cookies.filter(({ name }) => name.endsWith('thaw.did')));
};

test('a suspension ends the chat and shows the standing page, and a reversed appeal restores access', async ({
  openContext,
  pair,
}) => {
  test.slow();
  // With a fake clock in Bob's page, the test can skip the minute after which the standing page refreshes itself.
  const [ada, bob] = await pair({}, { prepare: (page) => page.clock.install() });
  const { page } = bob;
  // The appeal is decided by another moderator than the one who suspended the user.
  const moderators = await Promise.all(
    [1, 2].map(async (number) => signInModerator((await openContext()).request, number)),
  );
  await reportByHttp(ada, bob, { category: 'sexual', historyId: await waitForHistoryId(ada) });
  await moderators[0]!.decide(bob, {
    outcome: 'suspended',
    rule: 'no_unwanted_sexual',
    facts: suspensionFacts,
    until: new Date(Date.now() + weekMs).toISOString(),
  });
  await expect(bob.heading('Your account is paused')).toBeFocused();
  await expect(page.getByText(suspensionFacts)).toBeVisible();
  await expect(page.getByText('Rule: Nothing sexual that the other does not want.')).toBeVisible();
  await expect(page.getByRole('textbox')).toBeHidden();
  await expect(ada.page.getByText('Your chat partner disconnected')).toBeVisible();

  // The reporter gets a notice too.
  const reportNotice = ada.page.getByRole('dialog', { name: 'Your report' });
  await expect(reportNotice).toContainText('We found a breach of our rules and acted.');
  await expectAccessibleDialog(ada.page, 'Your report');
  await reportNotice.getByRole('button', { name: 'I understand' }).click();
  await expect(reportNotice).toBeHidden();

  // After a reload, the standing page is shown again, and its heading has the focus.
  await page.reload();
  await expect(bob.heading('Your account is paused')).toBeVisible();
  await expectAccessibleOnPhoneAndDesktop(page, 'standing page');
  await expectIntactLayoutOnSmallScreen(page.locator('main'), 'standing page');
  await expect(bob.heading('Your account is paused')).toBeFocused();
  const appealId = await appealByKeyboard(bob);
  await expect(page.getByText('Your appeal is being looked at by another moderator.')).toBeVisible();
  await expect(bob.button('Appeal')).toBeHidden();

  await moderators[1]!.decideAppeal(bob, appealId, {
    outcome: 'reversed',
    answer: 'The messages show that both of you had agreed on it.',
  });
  await page.clock.fastForward(standingPageRefreshMs);
  // When /chat replaces the standing page, the dialog of the notice closes and opens again. So waits for /chat first.
  await expect(page.getByText('Find Conversation')).toBeVisible();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessibleOnPhoneAndDesktop(page, 'notice', { within: '[role="dialog"]' });
  await closeNotices(page);

  await openSettings(page);
  await bob.button('Notices').click();
  const noticesDialog = page.getByRole('dialog', { name: 'Notices' });
  await expect(noticesDialog.getByRole('listitem')).toHaveText([/^Your appeal/, /^Your account is paused/]);
  await expectAccessibleOnPhoneAndDesktop(page, 'notices', { within: '[role="dialog"]' });
  await expectIntactLayoutOnSmallScreen(noticesDialog, 'notices');
  await noticesDialog.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('Escape');
  await expect(bob.button('Find Conversation')).toBeEnabled();
});

test('a suspension applies to new accounts on the same device, and a suspended user can sign in to appeal', async ({
  openContext,
  friendsInChat,
}) => {
  const [ada, bob] = await friendsInChat();
  const { page } = bob;
  const moderator = await signInModerator((await openContext()).request);
  // Without a `historyId`, the report is about their private chat. Only friends have one.
  await reportByHttp(ada, bob, { category: 'hate' });
  // Bob is not on /chat when the suspension begins.
  await page.goto('/terms');
  await moderator.decide(bob, {
    outcome: 'suspended',
    rule: 'no_hate',
    facts: suspensionFacts,
    until: new Date(Date.now() + weekMs).toISOString(),
  });
  await page.goto('/chat');
  await expect(bob.heading('Your account is paused')).toBeVisible();
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/auth');

  // A new account on the same device is suspended too.
  await keepOnlyDeviceCookie(page.context());
  await page.reload();
  await bob.button('Chat Anonymously').click();
  await expect(bob.heading('Your account is paused')).toBeVisible();
  await expect(page.getByText(/^An account that was used on the same device/)).toBeVisible();
  await expect(bob.button('Create Account')).toBeHidden();
  const newUser = await readStoredUser(page);
  expect(newUser?.id).not.toBe(bob.user.id);

  // The server still accepts an e-mail address and a password for the new account. With them, its user can sign in
  // and appeal.
  const email = createEmail();
  const data = { userId: newUser?.id, email, password: 'correct horse' };
  expect((await page.request.post('/api/convert-anonymous', { data })).ok()).toBe(true);
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill('correct horse');
  await page.locator('form').getByRole('button', { name: 'Login' }).click();
  await expect(page).toHaveURL('/chat');
  await expect(bob.heading('Your account is paused')).toBeVisible();
  await expect(bob.button('Appeal')).toBeEnabled();
});

/** The time of the standing and of the notices in the mocked responses. */
const since = '2026-11-20T21:10:00.000Z';
const createNotice = (changes: Partial<Notice>): Notice => ({
  id: 1,
  kind: 'care',
  createdAt: since,
  seenAt: since,
  rule: null,
  facts: null,
  about: null,
  decidedBy: 'automatic',
  from: since,
  until: null,
  appeal: { state: 'none', until: null, outcome: null, answer: null },
  report: null,
  ...changes,
});

/** Opens /chat with mocked responses for the user's standing and notices. The first notice is about the standing. */
const openChatWithStanding = async (
  { page, user }: Person,
  kind: Standing['kind'],
  notices: Notice[],
): Promise<void> => {
  const standing = { kind, since, until: null, noticeId: notices[0]?.id };
  await page.route(`**/api/user/${user.id}`, (route) => route.fulfill({ json: { ...user, standing } }));
  await page.route(`**/api/notices/${user.id}`, (route) => route.fulfill({ json: notices }));
  await page.goto('/chat');
};

test('the notice of a decided appeal shows the answer, with the remark that there is only one moderator', async ({
  newcomer,
}) => {
  const ada = await newcomer({ gender: 'female' });
  // The server adds this remark to the answer.
  const onlyModeratorRemark = 'Decided by the same moderator, since there is only one.';
  const decidedAppeal = {
    state: 'decided',
    until: null,
    outcome: 'upheld',
    answer: `Nothing new. ${onlyModeratorRemark}`,
  } as const;
  await openChatWithStanding(ada, 'care', [
    createNotice({ kind: 'care' }),
    createNotice({ id: 2, kind: 'appeal_decided', seenAt: null, appeal: decidedAppeal }),
  ]);
  const noticeDialog = ada.page.getByRole('dialog', { name: 'Your appeal' });
  await expect(noticeDialog).toContainText(onlyModeratorRemark);
  await ada.button('I understand').click();
  await expect(noticeDialog).toBeHidden();
});

test('/chat explains the standing "care"', async ({ newcomer }) => {
  const ada = await newcomer({ gender: 'female' });
  const { page } = ada;
  const appeal = {
    state: 'possible',
    until: '2027-05-22T21:10:00.000Z',
    outcome: null,
    answer: null,
  } as const;
  await openChatWithStanding(ada, 'care', [createNotice({ appeal })]);
  await expect(page.getByText('You meet fewer people for now.')).toBeVisible();
  await expectAccessibleOnPhoneAndDesktop(page, 'line about care', { within: 'main' });
  await expectIntactLayoutOnSmallScreen(page.locator('main'), 'line about care');
  await ada.button('Why?').click();
  const careDialog = page.getByRole('dialog', { name: 'You meet fewer people for now' });
  await expect(careDialog).toContainText('A moderator looks at it within 72 hours.');
  await expectIntactLayoutOnSmallScreen(careDialog, 'care');
  await expectAccessibleDialog(page, 'You meet fewer people for now');
});

test('a stated age under 18 ends the chat, and the sender is asked for their age before the next chat', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  const { page } = ada;
  await ada.sendMessage('im 15');
  const ageDialog = page.getByRole('dialog', { name: 'How old are you?' });
  await expect(ageDialog).toBeFocused();
  await expect(ageDialog).toContainText('You wrote that you are under 18, so the chat was ended.');
  await expectAccessibleOnPhoneAndDesktop(page, 'question about the age', { within: '[role="dialog"]' });

  await expect(bob.page.getByText('Your chat partner disconnected')).toBeVisible();
  await expect(bob.button('New Conversation')).toBeVisible();
  // Users cannot become friends in a chat that was ended for safety.
  await expect(bob.button('Add Friend')).toBeHidden();
  await expectAccessible(bob.page, 'chat that was ended for a stated age');

  // The question can be closed. Before the next chat, the button "Answer" opens it again.
  await page.keyboard.press('Escape');
  await expect(ada.button('Add Friend')).toBeHidden();
  await ada.button('New Conversation').click();
  await ada.button('Answer').click();
  await ageDialog.getByRole('button', { name: 'I am 18 or older' }).click();
  await expect(ageDialog).toBeHidden();
  await expect(ada.button('Answer')).toBeHidden();
  await expect(ada.button('Find Conversation')).toBeEnabled();
});
