import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ReportDialog } from '@/features/safety/components/report-dialog';
import {
  askToReport,
  useReportDialog,
  type ReportedChat,
} from '@/features/safety/stores/report-dialog.store';
import { onAppEvent } from '@/product/app-events';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

const heron = { id: 12, username: 'heron' };
const report = {
  id: 12,
  category: 'sexual',
  createdAt: '2026-11-20T21:04:30.000Z',
  state: 'received',
  outcome: null,
  blocked: true,
};
const changes: unknown[] = [];
let unsubscribe: () => void;

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  signIn(aUser());
  useToasts.setState({ shown: null });
  changes.length = 0;
  unsubscribe = onAppEvent('block-changed', (change) => changes.push(change));
});
afterEach(() => {
  unsubscribe();
  signOut();
  jest.restoreAllMocks();
});

const Asked = ({ isBlocked }: { isBlocked: boolean }) => {
  const target = useReportDialog((state) => state.target);
  return target ? <ReportDialog userId={7} target={target} isBlocked={isBlocked} /> : null;
};
const show = (chat: ReportedChat = { sessionId: 's1' }, isBlocked = false) => {
  askToReport(heron, chat);
  renderWithCache(<Asked isBlocked={isBlocked} />);
  return userEvent.setup();
};
const queryDialog = () => screen.queryByRole('dialog', { name: 'Report heron' });
const button = (name: string) => screen.getByRole('button', { name });
const radio = (name: string) => screen.getByRole('radio', { name });
const getWordsField = () => screen.getByRole('textbox', { name: 'Anything to add? (optional)' });
const shown = () => useToasts.getState().shown;
const isClosed = () => waitFor(() => expect(queryDialog()).toBeNull());

it('offers all categories, explains who reads the report, and waits for a choice', () => {
  show();
  expect(queryDialog()).toHaveAccessibleDescription('Choose what happened. heron is not told.');
  expect(screen.getAllByRole('radio').map(({ textContent }) => textContent)).toEqual([
    'They seem to be under 18, or it is about a child',
    'Threats or violence',
    'They may hurt themselves',
    'Sexual messages or pictures I did not want',
    'Insults or hate',
    'They ask for or spread private details',
    'Advertising or fraud',
    'Something else',
  ]);
  expect(screen.getByRole('checkbox', { name: 'Also block heron' })).toBeChecked();
  expect(
    screen.getByText(
      'The last 30 messages go to the moderators with it. They are erased when the report is closed and can no longer be appealed.',
    ),
  ).toBeVisible();
  expect(button('Send report')).toBeDisabled();
});

it('sends category, words and the marked messages, closes, and blocks on this page', async () => {
  const server = fakeServer({ 'POST /api/reports': report });
  const user = show({ sessionId: 's1', messageIds: ['1763640000000-0'] });
  await user.click(radio('Sexual messages or pictures I did not want'));
  await user.type(getWordsField(), 'did not stop');
  await user.click(button('Send report'));
  await isClosed();
  expect(server.calls.map(({ body }) => body)).toEqual([
    {
      reporterId: 7,
      targetId: 12,
      category: 'sexual',
      words: 'did not stop',
      sessionId: 's1',
      messageIds: ['1763640000000-0'],
      alsoBlock: true,
    },
  ]);
  expect(shown()).toMatchObject({
    title: 'Report sent',
    description: 'Thank you. We will tell you what came of it.',
  });
  expect(changes).toEqual([{ userId: 12, isBlocked: true }]);
});

it('can be used by keyboard only, without words and without a block', async () => {
  const server = fakeServer({ 'POST /api/reports': { ...report, blocked: false } });
  const user = show({});
  expect(radio('They seem to be under 18, or it is about a child')).toHaveFocus();
  await user.keyboard('{ArrowDown}{ArrowUp}{ArrowUp}');
  expect(radio('Something else')).toBeChecked();
  await user.tab();
  expect(getWordsField()).toHaveFocus();
  await user.tab();
  await user.keyboard(' ');
  await user.tab();
  expect(button('Send report')).toHaveFocus();
  await user.keyboard('{Enter}');
  await isClosed();
  expect(server.calls.map(({ body }) => body)).toEqual([
    { reporterId: 7, targetId: 12, category: 'other', alsoBlock: false },
  ]);
  expect(changes).toEqual([]);
});

it('says so when the report was sent and the person could not be blocked', async () => {
  fakeServer({ 'POST /api/reports': { ...report, blocked: false } });
  const user = show();
  await user.click(radio('Insults or hate'));
  await user.click(button('Send report'));
  await isClosed();
  expect(shown()).toMatchObject({
    title: 'Report sent',
    description: 'Thank you. heron could not be blocked: please try that again.',
  });
  expect(changes).toEqual([]);
});

it('does not offer to block a person who is blocked already', async () => {
  const server = fakeServer({ 'POST /api/reports': report });
  const user = show({ historyId: 31 }, true);
  expect(screen.queryByRole('checkbox')).toBeNull();
  await user.click(radio('Threats or violence'));
  await user.click(button('Send report'));
  await isClosed();
  expect(server.calls[0]?.body).toMatchObject({ historyId: 31, alsoBlock: false });
  expect(changes).toEqual([]);
});

it('stays open for the emergency number after a report of self-harm', async () => {
  fakeServer({ 'POST /api/reports': { ...report, category: 'self_harm' } });
  const user = show();
  await user.click(radio('They may hurt themselves'));
  await user.click(button('Send report'));
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'If somebody is in danger now, call your local emergency number.',
  );
  expect(screen.queryByRole('radio')).toBeNull();
  expect(shown()?.title).toBe('Report sent');
  const [close] = screen.getAllByRole('button', { name: 'Close' });
  expect(close).toHaveFocus();
  await user.click(close!);
  await isClosed();
});

it('cannot be closed or sent again while it waits for the server', async () => {
  let respond = (_: object): void => undefined;
  const server = fakeServer({
    'POST /api/reports': () => new Promise<object>((resolve) => (respond = resolve)),
  });
  const user = show();
  await user.click(radio('Insults or hate'));
  await user.click(button('Send report'));
  expect(button('Sending...')).toBeDisabled();
  expect(button('Cancel')).toBeDisabled();
  await user.keyboard('{Escape}');
  expect(queryDialog()).toBeVisible();
  respond(report);
  await isClosed();
  expect(server.count('POST', '/api/reports')).toBe(1);
});

it.each([
  [new Refusal(409, { code: 'too_late', message: 'It is too late for that.' }), 'It is too late for that.'],
  [new Refusal(429, { code: 'rate_limited', message: 'Too fast.' }), 'Too fast.'],
  [new Refusal(503), 'no'],
])("keeps choice and words after a refusal, and shows the server's message", async (refusal, message) => {
  const server = fakeServer({ 'POST /api/reports': refusal });
  const user = show();
  await user.click(radio('Insults or hate'));
  await user.type(getWordsField(), 'again');
  await user.click(button('Send report'));
  await waitFor(() =>
    expect(shown()).toMatchObject({ title: 'Report not sent', description: message, tone: 'destructive' }),
  );
  expect(radio('Insults or hate')).toBeChecked();
  expect(getWordsField()).toHaveValue('again');
  expect(changes).toEqual([]);
  // The server recognizes a repeated report by its chat, so the same request is sent again.
  server.routes['POST /api/reports'] = report;
  await user.click(button('Send report'));
  await isClosed();
  expect(server.calls[1]).toEqual(server.calls[0]);
});

it('can be tried again after a request without an answer', async () => {
  Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) });
  const user = show();
  await user.click(radio('Insults or hate'));
  await user.click(button('Send report'));
  await waitFor(() =>
    expect(shown()).toMatchObject({ title: 'Report not sent', description: 'Please try again.' }),
  );
  expect(button('Send report')).toBeEnabled();
});

it('counts from 900 characters, and sends at most 1,000', async () => {
  show();
  const user = userEvent.setup();
  await user.click(radio('Insults or hate'));
  await user.click(getWordsField());
  await user.paste('x'.repeat(899));
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  await user.paste('😀');
  expect(screen.getByRole('status')).toHaveTextContent('900 of 1,000 characters');
  expect(getWordsField()).toHaveAccessibleDescription('900 of 1,000 characters');
  await user.paste('x'.repeat(100));
  expect(button('Send report')).toBeEnabled();
  await user.paste('x');
  expect(getWordsField()).toBeInvalid();
  expect(button('Send report')).toBeDisabled();
});

it('asks before it closes over words, and sends nothing on Cancel', async () => {
  const server = fakeServer({});
  const user = show();
  await user.type(getWordsField(), 'did not stop');
  await user.keyboard('{Escape}');
  expect(screen.getByRole('alertdialog', { name: 'Discard your changes?' })).toBeVisible();
  await user.click(button('Keep editing'));
  expect(getWordsField()).toHaveValue('did not stop');
  await user.click(button('Cancel'));
  expect(queryDialog()).toBeNull();
  expect(server.calls).toEqual([]);
});
