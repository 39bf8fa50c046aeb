import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { AddFriend } from '@/features/friends/components/add-friend';
import { removeSentRequests } from '@/features/friends/stores/sent-requests';
import { aFriend, aFriendRequest } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

const bothButtons = (
  <>
    <AddFriend userId={7} personId={12} place="toolbar" />
    <AddFriend userId={7} personId={12} place="endedChat" />
  </>
);
const readShownToast = () => {
  const { shown } = useToasts.getState();
  return shown && { title: shown.title, description: shown.description };
};

beforeEach(() => {
  useToasts.setState({ shown: null });
});

it('sends one request for several clicks on two buttons, and shows the state on both', async () => {
  const server = fakeServer({
    'GET /api/friends/7': [],
    'POST /api/friends/request': aFriendRequest({ requesterId: 7, addresseeId: 12 }),
  });
  renderWithCache(bothButtons);
  const [toolbar, endedChat] = screen.getAllByRole('button', { name: 'Add Friend' });
  act(() => {
    toolbar!.click();
    toolbar!.click();
    endedChat!.click();
  });
  expect(await screen.findByRole('button', { name: 'Sent!' })).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Friend Request Sent' })).toBeDisabled();
  expect(readShownToast()).toEqual({ title: 'Friend request sent', description: undefined });
  expect(server.calls.filter(({ method }) => method === 'POST')).toEqual([
    { method: 'POST', url: '/api/friends/request', body: { requesterId: 7, addresseeId: 12 } },
  ]);
});

it('can be used again after a new match has removed the sent requests', async () => {
  fakeServer({
    'GET /api/friends/7': [],
    'POST /api/friends/request': aFriendRequest({ requesterId: 7, addresseeId: 12 }),
  });
  const { queryClient } = renderWithCache(bothButtons);
  await userEvent.click(screen.getAllByRole('button', { name: 'Add Friend' })[0]!);
  await screen.findByRole('button', { name: 'Sent!' });
  act(() => removeSentRequests(queryClient));
  expect(await screen.findAllByRole('button', { name: 'Add Friend' })).toHaveLength(2);
});

it('still shows a sent request after its button was unmounted, but not for another person', async () => {
  fakeServer({
    'GET /api/friends/7': [],
    'POST /api/friends/request': aFriendRequest({ requesterId: 7, addresseeId: 12 }),
  });
  const { queryClient, rerender } = renderWithCache(<AddFriend userId={7} personId={12} place="toolbar" />);
  await userEvent.click(screen.getByRole('button', { name: 'Add Friend' }));
  rerender(<p>Chat Ended</p>);
  await waitFor(() => expect(queryClient.isMutating()).toBe(0));
  rerender(<AddFriend userId={7} personId={12} place="endedChat" />);
  expect(screen.getByRole('button', { name: 'Friend Request Sent' })).toBeDisabled();
  rerender(<AddFriend userId={7} personId={13} place="endedChat" />);
  expect(screen.getByRole('button', { name: 'Add Friend' })).toBeEnabled();
});

it('shows an error and enables the button again when the request fails', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  fakeServer({ 'GET /api/friends/7': [], 'POST /api/friends/request': new Refusal(429) });
  renderWithCache(<AddFriend userId={7} personId={12} place="toolbar" />);
  await userEvent.click(screen.getByRole('button', { name: 'Add Friend' }));
  await waitFor(() =>
    expect(readShownToast()).toEqual({ title: 'Error', description: 'Could not send friend request.' }),
  );
  expect(await screen.findByRole('button', { name: 'Add Friend' })).toBeEnabled();
  warn.mockRestore();
});

it('shows that the person is already a friend', async () => {
  fakeServer({ 'GET /api/friends/7': [aFriend({ id: 12 })] });
  renderWithCache(<AddFriend userId={7} personId={12} place="toolbar" />);
  expect(await screen.findByRole('button', { name: 'Friends' })).toBeDisabled();
});

it('shows the friendship when the server refuses the request with 409', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const server = fakeServer({
    'GET /api/friends/7': [],
    'POST /api/friends/request': () => {
      server.routes['GET /api/friends/7'] = [aFriend({ id: 12 })];
      return new Refusal(409);
    },
  });
  renderWithCache(<AddFriend userId={7} personId={12} place="endedChat" />);
  await userEvent.click(screen.getByRole('button', { name: 'Add Friend' }));
  expect(await screen.findByRole('button', { name: 'Friends' })).toBeDisabled();
  warn.mockRestore();
});

it('shows the friendship at once when the other user had already sent a request', async () => {
  const server = fakeServer({
    'GET /api/friends/7': [],
    'POST /api/friends/request': () => {
      server.routes['GET /api/friends/7'] = [aFriend({ id: 12 })];
      return aFriendRequest({ requesterId: 12, addresseeId: 7, status: 'accepted' });
    },
  });
  renderWithCache(<AddFriend userId={7} personId={12} place="toolbar" />);
  await userEvent.click(screen.getByRole('button', { name: 'Add Friend' }));
  expect(await screen.findByRole('button', { name: 'Friends' })).toBeDisabled();
  expect(readShownToast()).toEqual({ title: 'Friend request sent', description: 'You are friends now.' });
});
