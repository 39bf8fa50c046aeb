import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type Notice } from '@thaw/contract/safety';
import { useNotices } from '@/features/standing/api/notices';
import { noticesKey } from '@/features/standing/api/notices-cache';
import { NoticeDialog } from '@/features/standing/components/notice-dialog';
import {
  resetNoticeDialog,
  selectShownNotice,
  useNoticeDialog,
} from '@/features/standing/stores/notice-dialog.store';
import { currentUser, signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { aNotice } from '@/testing/safety-factories';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

// A notice informs the user of a decision of the moderation, or asks for their age. The user's standing is the state
// that the moderation has set, such as suspended. By default, `aNotice` is about a suspension.

const userId = 7;
const seenAt = '2026-11-20T22:00:00.000Z';
const warning = aNotice({ id: 42, kind: 'warning', until: null });
const noAppeal: Notice['appeal'] = { state: 'none', until: null, outcome: null, answer: null };
const ageQuestionStanding = {
  kind: 'age_question',
  since: '2026-11-20T21:10:00.000Z',
  until: null,
  noticeId: 43,
} as const;
const ageQuestion = aNotice({
  id: 43,
  kind: 'age_question',
  facts: null,
  rule: null,
  until: null,
  appeal: noAppeal,
});

beforeEach(() => {
  // Requests that the server refuses are logged as warnings.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  signIn(aUser());
  resetNoticeDialog();
  useToasts.setState({ shown: null });
});
afterEach(() => {
  signOut();
  jest.restoreAllMocks();
});

/** Shows one notice after the other, as app/shell/notice-place.tsx does. */
const NoticeDialogs = () => {
  const { data: notices = [] } = useNotices(userId);
  const notice = selectShownNotice(useNoticeDialog(), notices);
  return notice ? <NoticeDialog key={notice.id} userId={userId} notice={notice} /> : null;
};
const openPage = async (...notices: Notice[]) => {
  const server = fakeServer({ 'GET /api/notices/7': notices });
  const { queryClient } = renderWithCache(<NoticeDialogs />);
  await waitFor(() => expect(queryClient.getQueryData(noticesKey(userId))).toEqual(notices));
  return { server, user: userEvent.setup(), queryClient };
};
const getButton = (name: string) => screen.getByRole('button', { name });
const findDialog = (name: string) => screen.findByRole('dialog', { name });
const waitForClose = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
const getAppealField = () => screen.getByRole('textbox', { name: 'Tell us what we got wrong.' });

it('shows unseen notices one after the other, the newest first, and marks each as seen', async () => {
  const { server, user } = await openPage(warning, aNotice({ id: 41 }), aNotice({ id: 40, seenAt }));
  server.routes['PUT /api/notices/42'] = { ...warning, seenAt };
  server.routes['PUT /api/notices/41'] = aNotice({ id: 41, seenAt });
  await findDialog('A warning');
  expect(screen.getByText('Rule: Nothing sexual that the other does not want.')).toBeVisible();
  expect(screen.getByText('Decided by a moderator')).toBeVisible();
  await user.click(getButton('I understand'));
  await findDialog('Your account is paused');
  await user.click(getButton('I understand'));
  await waitForClose();
  // The first request loaded the notices.
  expect(server.calls.slice(1)).toEqual([
    { method: 'PUT', url: '/api/notices/42', body: { seen: true } },
    { method: 'PUT', url: '/api/notices/41', body: { seen: true } },
  ]);
});

it('closes on Escape without marking the notice as seen', async () => {
  const { server, user } = await openPage(warning);
  await findDialog('A warning');
  await user.keyboard('{Escape}');
  await waitForClose();
  // Only the request that loaded the notices.
  expect(server.calls).toHaveLength(1);
});

it('stays closed after "I understand" even when the server does not mark the notice as seen', async () => {
  const { server, user } = await openPage(warning);
  server.routes['PUT /api/notices/42'] = new Refusal(503);
  await findDialog('A warning');
  await user.click(getButton('I understand'));
  await waitForClose();
  await waitFor(() => expect(server.count('PUT', '/api/notices/42')).toBe(1));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('sends an appeal with the keyboard only, and then says that another moderator looks at it', async () => {
  const { server, user } = await openPage(warning);
  server.routes['POST /api/appeals'] = { id: 50, noticeId: 42, createdAt: seenAt, state: 'open' };
  await findDialog('A warning');
  await user.tab();
  expect(getButton('Appeal')).toHaveFocus();
  await user.keyboard('{Enter}');
  await findDialog('Appeal');
  expect(getAppealField()).toHaveFocus();
  expect(getButton('Send appeal')).toBeDisabled();
  await user.keyboard('   ');
  expect(getButton('Send appeal')).toBeDisabled();
  await user.keyboard('It was my sister.');
  await user.tab();
  await user.keyboard('{Enter}');
  // The notice and the appeal both contain the text.
  await screen.findAllByText('Your appeal is being looked at by another moderator.');
  expect(server.calls.at(-1)).toEqual({
    method: 'POST',
    url: '/api/appeals',
    // The server trims `words`.
    body: { userId, noticeId: 42, words: '   It was my sister.' },
  });
  // The button Close of the appeal has the focus.
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Appeal' })).toBeNull());
  await findDialog('A warning');
  expect(screen.getByText('Your appeal is being looked at by another moderator.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Appeal' })).toBeNull();
});

it('keeps the text of an appeal that the server refuses as too late, and loads the notices again', async () => {
  const { server, user } = await openPage(warning);
  server.routes['POST /api/appeals'] = new Refusal(409, {
    code: 'too_late',
    message: 'It is too late for that.',
  });
  await findDialog('A warning');
  await user.click(getButton('Appeal'));
  await user.type(getAppealField(), 'It was my sister.');
  await user.click(getButton('Send appeal'));
  await waitFor(() =>
    expect(useToasts.getState().shown).toMatchObject({
      title: 'Appeal not sent',
      description: 'It is too late for that.',
      tone: 'destructive',
    }),
  );
  expect(getAppealField()).toHaveValue('It was my sister.');
  await waitFor(() => expect(server.count('GET', '/api/notices/7')).toBe(2));
});

it.each([
  ['upheld', 'The decision stands.'],
  ['reversed', 'The decision was reversed.'],
] as const)('shows the outcome and the answer of a decided appeal: %s', async (outcome, text) => {
  await openPage(
    aNotice({ appeal: { state: 'decided', until: null, outcome, answer: 'We read everything again.' } }),
  );
  await findDialog('Your account is paused');
  expect(screen.getByText(text)).toBeVisible();
  expect(screen.getByText('We read everything again.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Appeal' })).toBeNull();
});

// The question is asked because the user seems to have stated an age under 18. "That was not my age" takes it back.
it.each([
  ['That was not my age', 'adult', 'good'],
  ['I am 18 or older', 'adult', 'good'],
  ['I am under 18', 'minor', 'suspended'],
] as const)(
  'sends the answer of the button "%s", and then applies the standing that the server returns',
  async (label, answer, newKind) => {
    const standing = { ...ageQuestionStanding, kind: newKind };
    signIn(aUser({ standing: ageQuestionStanding }));
    const { server, user } = await openPage(ageQuestion);
    server.routes['PUT /api/notices/43'] = { ...ageQuestion, seenAt };
    server.routes['GET /api/user/7'] = aUser({ standing });
    await findDialog('How old are you?');
    expect(screen.queryByRole('button', { name: 'I understand' })).toBeNull();
    await user.click(getButton(label));
    await waitForClose();
    // The first request loaded the notices.
    expect(server.calls[1]).toEqual({
      method: 'PUT',
      url: '/api/notices/43',
      body: { seen: true, answer },
    });
    expect(currentUser()?.standing).toEqual(standing);
  },
);

it('ignores the keys of a message that the user is still typing when the age question opens', async () => {
  signIn(aUser({ standing: ageQuestionStanding }));
  const { server, user } = await openPage(ageQuestion);
  expect(await findDialog('How old are you?')).toHaveFocus();
  await user.keyboard('ok{Enter}');
  expect(screen.getByRole('dialog', { name: 'How old are you?' })).toBeVisible();
  expect(server.count('PUT', '/api/notices/43')).toBe(0);
  await user.tab();
  expect(getButton('That was not my age')).toHaveFocus();
});

it('keeps the age question open until an answer is saved, in this tab or another one', async () => {
  signIn(aUser({ standing: ageQuestionStanding }));
  const { server, user } = await openPage(ageQuestion);
  server.routes['PUT /api/notices/43'] = new Refusal(429, { code: 'rate_limited', message: 'Too fast.' });
  await findDialog('How old are you?');
  await user.click(getButton('I am 18 or older'));
  await waitFor(() =>
    expect(useToasts.getState().shown).toMatchObject({ title: 'Not saved', description: 'Too fast.' }),
  );
  expect(getButton('I am 18 or older')).toBeEnabled();
  // Another tab has answered the question.
  server.routes['PUT /api/notices/43'] = new Refusal(409, { code: 'already_answered', message: 'Answered.' });
  server.routes['GET /api/user/7'] = aUser();
  server.routes['GET /api/notices/7'] = [{ ...ageQuestion, seenAt }];
  await user.click(getButton('I am 18 or older'));
  await waitForClose();
});
