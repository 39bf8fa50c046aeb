import { screen, waitFor } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { ReportDialog } from '@/features/safety/components/report-dialog';
import {
  openReportDialog,
  privateChatWithPerson,
  useReportDialog,
  type ReportedChat,
} from '@/features/safety/stores/report-dialog.store';
import { onAppEvent } from '@/product/app-events';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, fakeUnreachableServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

const heron = { id: 12, username: 'heron' };
const reportResponse = {
  id: 90,
  category: 'sexual',
  createdAt: '2026-11-20T21:04:30.000Z',
  state: 'received',
  outcome: null,
  blocked: true,
};
/** The data of the events by which the dialog announced to the rest of the page that it blocked a person. */
const blockChanges: unknown[] = [];
let unsubscribe: () => void;

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  signIn(aUser());
  useToasts.setState({ shown: null });
  blockChanges.length = 0;
  unsubscribe = onAppEvent('block-changed', (change) => blockChanges.push(change));
});
afterEach(() => {
  unsubscribe();
  signOut();
  jest.restoreAllMocks();
});

/** Renders the dialog while the store contains a target: the dialog removes the target to close itself. */
const ReportDialogFromStore = ({ isBlocked }: { isBlocked: boolean }) => {
  const target = useReportDialog((state) => state.target);
  return target ? <ReportDialog userId={7} target={target} isBlocked={isBlocked} /> : null;
};
/** Opens the dialog for a report about heron, by default from the random chat s1. */
const openDialog = ({
  chat = { sessionId: 's1' },
  isBlocked = false,
}: { chat?: ReportedChat; isBlocked?: boolean } = {}) => {
  openReportDialog(heron, chat);
  renderWithCache(<ReportDialogFromStore isBlocked={isBlocked} />);
  return userEvent.setup();
};
const queryDialog = () => screen.queryByRole('dialog', { name: 'Report heron' });
const getButton = (name: string) => screen.getByRole('button', { name });
const getRadio = (name: string) => screen.getByRole('radio', { name });
const getTextField = () => screen.getByRole('textbox', { name: 'Anything to add? (optional)' });
const getShownToast = () => useToasts.getState().shown;
const waitForClose = () => waitFor(() => expect(queryDialog()).toBeNull());
const chooseAndSend = async (user: UserEvent, category: string): Promise<void> => {
  await user.click(getRadio(category));
  await user.click(getButton('Send report'));
};

it('offers all categories and a block, and cannot be sent without a category', () => {
  openDialog();
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
  expect(getButton('Send report')).toBeDisabled();
});

it('states that heron is not notified, who gets which messages, and when they are erased', () => {
  openDialog();
  expect(queryDialog()).toHaveAccessibleDescription('Choose what happened. heron is not told.');
  expect(
    screen.getByText(
      'The last 30 messages go to the moderators with it. They are erased when the report is closed and can no longer be appealed.',
    ),
  ).toBeVisible();
});

it('sends category, text and the marked messages, closes, and announces the block', async () => {
  const server = fakeServer({ 'POST /api/reports': reportResponse });
  const user = openDialog({ chat: { sessionId: 's1', messageIds: ['1763640000000-0'] } });
  await user.click(getRadio('Sexual messages or pictures I did not want'));
  await user.type(getTextField(), 'did not stop');
  await user.click(getButton('Send report'));
  await waitForClose();
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
  expect(getShownToast()).toMatchObject({
    title: 'Report sent',
    description: 'Thank you. We will tell you what came of it.',
  });
  expect(blockChanges).toEqual([{ userId: 12, isBlocked: true }]);
});

it('can be used by keyboard only, and sent without a text and without a block', async () => {
  const server = fakeServer({ 'POST /api/reports': { ...reportResponse, blocked: false } });
  const user = openDialog({ chat: privateChatWithPerson });
  expect(getRadio('They seem to be under 18, or it is about a child')).toHaveFocus();
  // From the first category to the second, back, and around to the last.
  await user.keyboard('{ArrowDown}{ArrowUp}{ArrowUp}');
  expect(getRadio('Something else')).toBeChecked();
  await user.tab();
  expect(getTextField()).toHaveFocus();
  await user.tab();
  await user.keyboard(' ');
  expect(screen.getByRole('checkbox', { name: 'Also block heron' })).not.toBeChecked();
  await user.tab();
  expect(getButton('Send report')).toHaveFocus();
  await user.keyboard('{Enter}');
  await waitForClose();
  expect(server.calls.map(({ body }) => body)).toEqual([
    { reporterId: 7, targetId: 12, category: 'other', alsoBlock: false },
  ]);
  expect(blockChanges).toEqual([]);
});

it('says that the report was sent but the person could not be blocked', async () => {
  fakeServer({ 'POST /api/reports': { ...reportResponse, blocked: false } });
  const user = openDialog();
  await chooseAndSend(user, 'Insults or hate');
  await waitForClose();
  expect(getShownToast()).toMatchObject({
    title: 'Report sent',
    description: 'Thank you. heron could not be blocked: please try that again.',
  });
  expect(blockChanges).toEqual([]);
});

it('does not offer to block a person who is blocked already', async () => {
  const server = fakeServer({ 'POST /api/reports': reportResponse });
  const chatOfHistory = { historyId: 31 };
  const user = openDialog({ chat: chatOfHistory, isBlocked: true });
  expect(screen.queryByRole('checkbox')).toBeNull();
  await chooseAndSend(user, 'Threats or violence');
  await waitForClose();
  expect(server.calls[0]?.body).toMatchObject({ historyId: 31, alsoBlock: false });
  expect(blockChanges).toEqual([]);
});

it('stays open for the emergency number after a report of self-harm', async () => {
  fakeServer({ 'POST /api/reports': { ...reportResponse, category: 'self_harm' } });
  const user = openDialog();
  await chooseAndSend(user, 'They may hurt themselves');
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'If somebody is in danger now, call your local emergency number.',
  );
  expect(screen.queryByRole('radio')).toBeNull();
  expect(getShownToast()?.title).toBe('Report sent');
  // The dialog also has an X with this name.
  const [closeButton] = screen.getAllByRole('button', { name: 'Close' });
  expect(closeButton).toHaveFocus();
  await user.click(closeButton!);
  await waitForClose();
});

it('cannot be closed or sent again while it waits for the server', async () => {
  let respond: (response: object) => void = () => undefined;
  const response = new Promise<object>((resolve) => {
    respond = resolve;
  });
  const server = fakeServer({ 'POST /api/reports': () => response });
  const user = openDialog();
  await chooseAndSend(user, 'Insults or hate');
  expect(getButton('Sending...')).toBeDisabled();
  expect(getButton('Cancel')).toBeDisabled();
  await user.keyboard('{Escape}');
  expect(queryDialog()).toBeVisible();
  respond(reportResponse);
  await waitForClose();
  expect(server.count('POST', '/api/reports')).toBe(1);
});

it.each([
  ['It is too late for that.', new Refusal(409, { code: 'too_late', message: 'It is too late for that.' })],
  ['Too fast.', new Refusal(429, { code: 'rate_limited', message: 'Too fast.' })],
  ['Not available.', new Refusal(503, { message: 'Not available.' })],
])(
  "shows the message of the refusal '%s', and keeps the category and the text for another attempt",
  async (message, refusal) => {
    const server = fakeServer({ 'POST /api/reports': refusal });
    const user = openDialog();
    await user.click(getRadio('Insults or hate'));
    await user.type(getTextField(), 'did not stop');
    await user.click(getButton('Send report'));
    await waitFor(() =>
      expect(getShownToast()).toMatchObject({
        title: 'Report not sent',
        description: message,
        tone: 'destructive',
      }),
    );
    expect(getRadio('Insults or hate')).toBeChecked();
    expect(getTextField()).toHaveValue('did not stop');
    expect(blockChanges).toEqual([]);
    server.routes['POST /api/reports'] = reportResponse;
    await user.click(getButton('Send report'));
    await waitForClose();
    // The server recognizes a repeated report, so the second attempt must be the same request.
    expect(server.calls[1]).toEqual(server.calls[0]);
  },
);

it('can be tried again after a request without a response', async () => {
  fakeUnreachableServer();
  const user = openDialog();
  await chooseAndSend(user, 'Insults or hate');
  await waitFor(() =>
    expect(getShownToast()).toMatchObject({ title: 'Report not sent', description: 'Please try again.' }),
  );
  expect(getButton('Send report')).toBeEnabled();
});

it('shows a counter from 900 characters, and refuses more than 1,000', async () => {
  const user = openDialog();
  await user.click(getRadio('Insults or hate'));
  await user.click(getTextField());
  await user.paste('x'.repeat(899));
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  // One code point, but two UTF-16 code units.
  await user.paste('😀');
  expect(screen.getByRole('status')).toHaveTextContent('900 of 1,000 characters');
  expect(getTextField()).toHaveAccessibleDescription('900 of 1,000 characters');
  await user.paste('x'.repeat(100));
  expect(getButton('Send report')).toBeEnabled();
  await user.paste('x');
  expect(getTextField()).toBeInvalid();
  expect(getButton('Send report')).toBeDisabled();
});

it('asks before Escape discards a text', async () => {
  const user = openDialog();
  await user.type(getTextField(), 'did not stop');
  await user.keyboard('{Escape}');
  expect(screen.getByRole('alertdialog', { name: 'Discard your changes?' })).toBeVisible();
  await user.click(getButton('Keep editing'));
  expect(getTextField()).toHaveValue('did not stop');
});

it('is closed by Cancel without a question, even with a text, and sends nothing', async () => {
  const server = fakeServer({});
  const user = openDialog();
  await user.type(getTextField(), 'did not stop');
  await user.click(getButton('Cancel'));
  expect(queryDialog()).toBeNull();
  expect(server.calls).toEqual([]);
});
