import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FriendRequestsModal } from '@/features/friends/components/friend-requests-modal';
import { aFriendRequest } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';
import { useToasts } from '@/ui/toast-store';

const pendingRequests = [
  aFriendRequest({ id: 31, requesterId: 12 }),
  aFriendRequest({ id: 32, requesterId: 13 }),
];
const heron = { id: 12, username: 'heron', avatar: null, isOnline: true };

const renderModal = () => renderWithCache(<FriendRequestsModal userId={7} onDismiss={jest.fn()} />);
const readShownToast = () => {
  const { shown } = useToasts.getState();
  return shown && { title: shown.title, description: shown.description };
};

beforeEach(() => useToasts.setState({ shown: null }));

it('lists each requester by name, or by id when the profile cannot be loaded', async () => {
  fakeServer({ 'GET /api/friends/requests/7': pendingRequests, 'GET /api/user/12': heron });
  renderModal();
  expect(await screen.findByText('heron')).toBeVisible();
  // The product specification demands this text (docs/product-decisions.md, A66).
  expect(await screen.findByText('Utilizador #13')).toBeVisible();
});

it('shows the requests in a list of limited height, which scrolls', async () => {
  fakeServer({ 'GET /api/friends/requests/7': pendingRequests, 'GET /api/user/12': heron });
  renderModal();
  const list = await screen.findByRole('list', { name: 'Friend requests' });
  expect(list).toHaveClass('max-h-96', 'overflow-y-auto');
});

it.each([
  ['Accept', 'accepted', { title: 'Request accepted', description: 'User has been added to your friends.' }],
  ['Decline', 'declined', { title: 'Request declined', description: undefined }],
])('%s pressed twice answers once, shows a toast and removes the row', async (button, status, toastText) => {
  const server = fakeServer({
    'GET /api/friends/requests/7': pendingRequests,
    'GET /api/user/12': heron,
    'PUT /api/friends/request/31': (body: unknown) => ({ ...pendingRequests[0], ...(body as object) }),
  });
  renderModal();
  const [firstRow] = await screen.findAllByRole('listitem');
  const row = within(firstRow!);
  await row.findByText('heron');
  // After the answer, the server no longer lists the request.
  server.routes['GET /api/friends/requests/7'] = pendingRequests.slice(1);
  await userEvent.dblClick(row.getByRole('button', { name: button }));
  await waitFor(() => expect(readShownToast()).toEqual(toastText));
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  expect(server.calls.filter(({ method }) => method === 'PUT')).toEqual([
    { method: 'PUT', url: '/api/friends/request/31', body: { status } },
  ]);
});

it('shows an error when answering fails, refetches the requests and enables the button again', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const server = fakeServer({
    'GET /api/friends/requests/7': pendingRequests.slice(0, 1),
    'PUT /api/friends/request/31': new Refusal(503),
  });
  renderModal();
  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }));
  await waitFor(() =>
    expect(readShownToast()).toEqual({
      title: 'Error',
      description: 'Could not respond to request. Please try again.',
    }),
  );
  // The first load, and the refetch.
  await waitFor(() => expect(server.count('GET', '/api/friends/requests/7')).toBe(2));
  expect(screen.getByRole('button', { name: 'Accept' })).toBeEnabled();
  warn.mockRestore();
});

it('shows that there are no requests', async () => {
  fakeServer({ 'GET /api/friends/requests/7': [] });
  renderModal();
  expect(await screen.findByText('No pending friend requests')).toBeVisible();
});
