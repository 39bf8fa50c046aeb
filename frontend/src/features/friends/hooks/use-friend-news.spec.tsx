import { act, render, screen, waitFor } from '@testing-library/react';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import userEvent from '@testing-library/user-event';
import { useFriendNews } from '@/features/friends/hooks/use-friend-news';
import { sentRequestKey } from '@/features/friends/stores/sent-requests';
import { requestIdsSettledByThisPage } from '@/features/friends/stores/settled-requests';
import { createQueryClient } from '@/lib/query-client';
import { raise } from '@/product/app-events';
import { profileKey } from '@/product/profile-query';
import { fakeServer } from '@/testing/fake-server';
import { useToasts } from '@/ui/toast-store';
import { Toaster } from '@/ui/toaster';

const userId = 7;
const heron = { id: 12, username: 'heron', avatar: null };
const requestId = 31;
const onOpen = jest.fn();

/** Shows the count that the hook returns. */
const News = ({ isListOpen }: { isListOpen: boolean }) => (
  <p>news: {useFriendNews({ userId, isListOpen, onOpen })}</p>
);

const renderNews = () => {
  const queries = createQueryClient();
  queries.setQueryData(profileKey(heron.id), heron);
  const createPage = (isListOpen: boolean) => (
    <QueryClientProvider client={queries}>
      <News isListOpen={isListOpen} />
      <Toaster />
    </QueryClientProvider>
  );
  const { rerender } = render(createPage(false));
  return { queries, setListOpen: (isListOpen: boolean) => rerender(createPage(isListOpen)) };
};

beforeEach(() => {
  onOpen.mockClear();
  requestIdsSettledByThisPage.clear();
  useToasts.setState({ shown: null });
});

const raiseRequestReceived = () =>
  act(() => raise('friend-request-received', { id: requestId, requesterId: heron.id }));
const raiseFriendshipAccepted = () =>
  act(() => raise('friendship-accepted', { requestId, friendId: heron.id }));
/** Sends a friend request that the server never answers. */
const sendUnansweredRequest = (queries: QueryClient, personId: number) => {
  const request = {
    mutationKey: sentRequestKey(personId),
    mutationFn: () => new Promise(() => undefined),
  };
  act(() => void queries.getMutationCache().build(queries, request).execute(undefined));
};

it('accepts a request from the toast that announces it, and does not announce the resulting friendship', async () => {
  const server = fakeServer({
    'PUT /api/friends/request/31': {
      id: requestId,
      requesterId: heron.id,
      addresseeId: userId,
      status: 'accepted',
      createdAt: '2026-11-20T12:00:00.000Z',
    },
  });
  renderNews();
  raiseRequestReceived();
  expect(screen.getByRole('listitem')).toHaveTextContent('New friend requestFrom heron');
  expect(screen.getByText('news: 1')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }));
  await waitFor(() => expect(screen.getByRole('listitem')).toHaveTextContent('Request accepted'));
  expect(server.count('PUT', '/api/friends/request/31')).toBe(1);
  // A friendship that this page itself has caused does not count as news.
  raiseFriendshipAccepted();
  expect(screen.getByRole('listitem')).toHaveTextContent('Request accepted');
  expect(screen.getByText('news: 1')).toBeVisible();
});

it('closes the toast of a request when the list of requests opens', () => {
  const { setListOpen } = renderNews();
  raiseRequestReceived();
  expect(screen.getByRole('listitem')).toHaveTextContent('New friend request');
  setListOpen(true);
  expect(screen.queryByRole('listitem')).toBeNull();
});

it('counts a request that arrives while the list of requests is open, but shows no toast for it', () => {
  const { setListOpen } = renderNews();
  setListOpen(true);
  raiseRequestReceived();
  expect(screen.queryByRole('listitem')).toBeNull();
  expect(screen.getByText('news: 1')).toBeVisible();
});

it('opens the chat from the toast of an accepted request', async () => {
  renderNews();
  raiseFriendshipAccepted();
  expect(screen.getByRole('listitem')).toHaveTextContent('You have a new friendheron accepted your request.');
  await userEvent.click(screen.getByRole('button', { name: 'Open' }));
  expect(onOpen).toHaveBeenCalledWith(heron.id);
});

it('does not announce a friendship while a request of this page to the new friend is in flight', () => {
  const { queries } = renderNews();
  sendUnansweredRequest(queries, heron.id);
  raiseFriendshipAccepted();
  expect(screen.queryByRole('listitem')).toBeNull();
});
