import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { BlockDialog } from '@/features/safety/components/block-dialog';
import { openBlockDialog, useBlockDialog } from '@/features/safety/stores/block-dialog.store';
import { onAppEvent } from '@/product/app-events';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, fakeUnreachableServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

const heron = { id: 12, username: 'heron' };
const blockResponse = { blockedId: 12, createdAt: '2026-11-20T12:00:00.000Z' };
const blockChanges: unknown[] = [];
let unsubscribe: () => void;

beforeEach(() => {
  // A failed request is logged as a warning.
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

/** Renders the dialog while the store contains a person. Closing the dialog empties the store. */
const BlockDialogFromStore = (consequences: { endsChat?: boolean; endsFriendship?: boolean }) => {
  const person = useBlockDialog((state) => state.person);
  return person ? (
    <BlockDialog userId={7} person={person} endsChat={false} endsFriendship={false} {...consequences} />
  ) : null;
};
/** Opens the dialog for heron. By default, a block would end neither a chat nor a friendship. */
const openDialog = (consequences = {}) => {
  openBlockDialog(heron);
  renderWithCache(<BlockDialogFromStore {...consequences} />);
  return userEvent.setup();
};
const queryDialog = () => screen.queryByRole('dialog', { name: 'Block heron?' });
const waitUntilClosed = () => waitFor(() => expect(queryDialog()).toBeNull());
const getButton = (name: string) => screen.getByRole('button', { name });
const getShownToast = () => useToasts.getState().shown;
const lead = 'You will never be matched again and cannot write to each other. heron is not told.';

it.each([
  [{}, lead],
  [{ endsChat: true }, `${lead} This chat ends.`],
  [{ endsFriendship: true }, `${lead} You will no longer be friends.`],
  [{ endsChat: true, endsFriendship: true }, `${lead} This chat ends. You will no longer be friends.`],
])('describes what the block would end, with %j', (consequences, text) => {
  openDialog(consequences);
  expect(queryDialog()).toHaveAccessibleDescription(text);
});

it('blocks the person, closes, and shows a toast', async () => {
  const server = fakeServer({ 'POST /api/blocks': blockResponse });
  const user = openDialog();
  await user.click(getButton('Block'));
  await waitUntilClosed();
  expect(server.calls).toEqual([
    { method: 'POST', url: '/api/blocks', body: { blockerId: 7, blockedId: 12 } },
  ]);
  expect(blockChanges).toEqual([{ userId: 12, isBlocked: true }]);
  expect(getShownToast()).toMatchObject({
    title: 'Blocked',
    description: 'You will not meet heron again.',
    action: { label: 'Undo' },
  });
});

it('unblocks the person when Undo in the toast is chosen', async () => {
  const server = fakeServer({ 'POST /api/blocks': blockResponse, 'DELETE /api/blocks/7/12': undefined });
  const user = openDialog();
  await user.click(getButton('Block'));
  await waitUntilClosed();
  getShownToast()?.action?.run();
  await waitFor(() => expect(getShownToast()?.title).toBe('Unblocked'));
  expect(server.count('DELETE', '/api/blocks/7/12')).toBe(1);
  expect(blockChanges.at(-1)).toEqual({ userId: 12, isBlocked: false });
});

it('reports an Undo that failed, and leaves the block as it is', async () => {
  fakeServer({ 'POST /api/blocks': blockResponse, 'DELETE /api/blocks/7/12': new Refusal(503, {}) });
  const user = openDialog();
  await user.click(getButton('Block'));
  await waitUntilClosed();
  getShownToast()?.action?.run();
  await waitFor(() => expect(getShownToast()).toMatchObject({ title: 'Not unblocked', tone: 'destructive' }));
  expect(getShownToast()?.description).toBe('Please try again.');
  expect(blockChanges).toEqual([{ userId: 12, isBlocked: true }]);
});

it('cannot be closed or confirmed again while it waits for the server', async () => {
  let respond: (response: object) => void = () => undefined;
  const server = fakeServer({
    'POST /api/blocks': () => new Promise<object>((resolve) => (respond = resolve)),
  });
  const user = openDialog();
  await user.click(getButton('Block'));
  expect(getButton('Blocking...')).toBeDisabled();
  expect(getButton('Cancel')).toBeDisabled();
  await user.keyboard('{Escape}');
  expect(queryDialog()).toBeVisible();
  respond(blockResponse);
  await waitUntilClosed();
  expect(server.count('POST', '/api/blocks')).toBe(1);
});

it("stays open after a refusal, and shows the server's message", async () => {
  const server = fakeServer({ 'POST /api/blocks': new Refusal(409, { message: 'This list is full.' }) });
  const user = openDialog();
  await user.click(getButton('Block'));
  await waitFor(() =>
    expect(getShownToast()).toMatchObject({
      title: 'Not blocked',
      description: 'This list is full.',
      tone: 'destructive',
    }),
  );
  expect(queryDialog()).toBeVisible();
  expect(blockChanges).toEqual([]);
  server.routes['POST /api/blocks'] = blockResponse;
  await user.click(getButton('Block'));
  await waitUntilClosed();
});

it('can be tried again after a request without a response', async () => {
  fakeUnreachableServer();
  const user = openDialog();
  await user.click(getButton('Block'));
  await waitFor(() =>
    expect(getShownToast()).toMatchObject({ title: 'Not blocked', description: 'Please try again.' }),
  );
  expect(getButton('Block')).toBeEnabled();
});

it.each(['Cancel', 'Escape'])('closes and sends nothing on %s', async (control) => {
  const server = fakeServer({});
  const user = openDialog();
  await (control === 'Cancel' ? user.click(getButton('Cancel')) : user.keyboard('{Escape}'));
  expect(queryDialog()).toBeNull();
  expect(server.calls).toEqual([]);
});
