import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { type ServerData } from '@thaw/contract/server-frames';
import { SafetySettings } from '@/features/safety/components/safety-settings';
import { createSafetyHandler } from '@/features/safety/handlers';
import { createQueryClient } from '@/lib/query-client';
import { onAppEvent } from '@/product/app-events';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { isHidingInsults } from '@/product/stranger-settings';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

// The block of `heron` is shown without the year, because it is from this year.
const thisYear = new Date().getFullYear();
const heron = {
  blockedId: 12,
  username: 'heron',
  avatar: null,
  createdAt: `${thisYear}-01-20T12:00:00.000Z`,
};
const finch = { blockedId: 13, username: 'finch', avatar: null, createdAt: '2020-11-20T12:00:00.000Z' };
/** Ends the subscription of `openSettings`. */
let unsubscribe = (): void => undefined;

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined); // a failed unblock logs a warning
  signIn(aUser());
  useToasts.setState({ shown: null });
});
afterEach(() => {
  unsubscribe();
  signOut();
  jest.restoreAllMocks();
});

/**
 * Renders the settings. As in app/realtime.ts, a block or unblock on this page is handled like the frame that the
 * server sends after one in another tab.
 * @returns `receiveBlockChange`: handles such a frame
 */
const openSettings = () => {
  const queryClient = createQueryClient();
  const handleFrame = createSafetyHandler(queryClient);
  const receiveBlockChange = (data: ServerData<'block_changed'>) =>
    handleFrame({ event: 'block_changed', data });
  unsubscribe = onAppEvent('block-changed', receiveBlockChange);
  renderWithCache(<SafetySettings userId={7} />, queryClient);
  return { user: userEvent.setup(), receiveBlockChange };
};
/** Opens the list of blocked people, whose number the button shows. */
const openList = async (user: UserEvent, count: number) => {
  await user.click(await screen.findByRole('button', { name: `Blocked people (${count})` }));
  return screen.findByRole('dialog', { name: 'Blocked people' });
};
const getShownToast = () => useToasts.getState().shown;

it('shows the number of blocked people, and lists their names and the dates of the blocks', async () => {
  fakeServer({ 'GET /api/blocks/7': [heron, finch] });
  const { user } = openSettings();
  const rows = within(await openList(user, 2)).getAllByRole('listitem');
  expect(rows[0]).toHaveTextContent(/heronBlocked (20 Jan|Jan 20)Unblock/);
  expect(rows[1]).toHaveTextContent(/finchBlocked .*2020Unblock/);
  expect(within(rows[0]!).getByRole('button', { name: 'Unblock' })).toHaveAccessibleDescription('heron');
});

it('unblocks a person, removes the row, and shows a toast', async () => {
  const server = fakeServer({ 'GET /api/blocks/7': [heron, finch], 'DELETE /api/blocks/7/12': undefined });
  const { user } = openSettings();
  const [first] = within(await openList(user, 2)).getAllByRole('listitem');
  server.routes['GET /api/blocks/7'] = [finch];
  await user.click(within(first!).getByRole('button'));
  await waitFor(() => expect(screen.queryByText('heron')).toBeNull());
  expect(screen.getByText('finch')).toBeVisible();
  expect(getShownToast()?.title).toBe('Unblocked');
});

it('reports success when the person has already been unblocked', async () => {
  // The server has no block to delete, so it answers the DELETE with 404: the fake server has no such route.
  const server = fakeServer({ 'GET /api/blocks/7': [heron] });
  const { user } = openSettings();
  await openList(user, 1);
  server.routes['GET /api/blocks/7'] = [];
  await user.click(screen.getByRole('button', { name: 'Unblock' }));
  expect(await screen.findByText('You have blocked no one.')).toBeVisible();
  expect(getShownToast()?.title).toBe('Unblocked');
});

it('keeps the row and shows a toast when a person could not be unblocked', async () => {
  fakeServer({
    'GET /api/blocks/7': [heron],
    'DELETE /api/blocks/7/12': new Refusal(429, { message: 'Slow' }),
  });
  const { user } = openSettings();
  await openList(user, 1);
  await user.click(screen.getByRole('button', { name: 'Unblock' }));
  await waitFor(() => expect(getShownToast()).toMatchObject({ title: 'Not unblocked', description: 'Slow' }));
  expect(screen.getByRole('button', { name: 'Unblock' })).toBeEnabled();
});

it('shows an error with a retry, and then that the list is empty', async () => {
  const server = fakeServer({ 'GET /api/blocks/7': new Refusal(503) });
  const { user } = openSettings();
  await user.click(screen.getByRole('button', { name: 'Blocked people' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The people you blocked could not be loaded.');
  server.routes['GET /api/blocks/7'] = [];
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('You have blocked no one.')).toBeVisible();
});

it('follows a block and an unblock in another tab', async () => {
  const server = fakeServer({ 'GET /api/blocks/7': [] });
  const { receiveBlockChange } = openSettings();
  await screen.findByRole('button', { name: 'Blocked people (0)' });
  server.routes['GET /api/blocks/7'] = [heron];
  act(() => receiveBlockChange({ userId: 12, isBlocked: true }));
  expect(await screen.findByRole('button', { name: 'Blocked people (1)' })).toBeVisible();
  server.routes['GET /api/blocks/7'] = [];
  act(() => receiveBlockChange({ userId: 12, isBlocked: false }));
  expect(await screen.findByRole('button', { name: 'Blocked people (0)' })).toBeVisible();
});

it('hides insults from strangers by default', () => {
  localStorage.clear();
  fakeServer({ 'GET /api/blocks/7': [] });
  openSettings();
  expect(screen.getByRole('switch', { name: 'Hide insults from strangers' })).toBeChecked();
});

it('stores in this browser whether insults from strangers are hidden', async () => {
  localStorage.clear();
  fakeServer({ 'GET /api/blocks/7': [] });
  const { user } = openSettings();
  const insults = screen.getByRole('switch', { name: 'Hide insults from strangers' });
  await user.click(insults);
  expect(insults).not.toBeChecked();
  expect(isHidingInsults()).toBe(false);
  await user.click(insults);
  expect(isHidingInsults()).toBe(true);
});
