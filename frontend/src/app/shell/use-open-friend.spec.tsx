import { useQuery } from '@tanstack/react-query';
import { act, screen } from '@testing-library/react';
import { shell, useShell } from '@/app/shell/shell-store';
import { useOpenFriend } from '@/app/shell/use-open-friend';
import { friendsKey, friendsQuery } from '@/features/friends/api/friends';
import { createQueryClient } from '@/lib/query-client';
import { raise } from '@/product/app-events';
import { aFriend } from '@/testing/factories';
import { renderWithCache } from '@/testing/with-cache';

/** Shows the open friend and the number of cached friends. */
const OpenFriend = () => {
  const { data: friends } = useQuery({ ...friendsQuery(7), enabled: false });
  return (
    <>
      <p>{useOpenFriend(7)?.username ?? 'nobody'}</p>
      <p>{`${friends?.length} friends`}</p>
    </>
  );
};

const renderOpenFriend = () => {
  const queryClient = createQueryClient();
  queryClient.setQueryData(friendsKey(7), [aFriend({ id: 12, username: 'heron' })]);
  return renderWithCache(<OpenFriend />, queryClient);
};

beforeEach(() => shell.reset());

it('useOpenFriend returns the friend whose chat is open', () => {
  renderOpenFriend();
  expect(screen.getByText('nobody')).toBeVisible();
  act(() => shell.openFriend(12));
  expect(screen.getByText('heron')).toBeVisible();
  act(() => shell.closeFriend());
  expect(screen.getByText('nobody')).toBeVisible();
});

it.each([
  ['by the user', { removedFriendId: 12, removedBy: 7 }],
  ['by the friend', { removedFriendId: 7, removedBy: 12 }],
])('closes the chat when the friendship is removed %s', (_, detail) => {
  renderOpenFriend();
  act(() => shell.openFriend(12));
  act(() => raise('friendship-removed', detail));
  expect(useShell.getState().openFriendId).toBeUndefined();
});

it('keeps the chat open when another friendship is removed', () => {
  renderOpenFriend();
  act(() => shell.openFriend(12));
  act(() => raise('friendship-removed', { removedFriendId: 7, removedBy: 13 }));
  expect(screen.getByText('heron')).toBeVisible();
});

it('closes the chat when the friend leaves the list, and does not reopen it when the friend is back', async () => {
  const { queryClient } = renderOpenFriend();
  // The query cache notifies its observers asynchronously.
  const setFriendsAndWait = (friends: unknown[]) => {
    act(() => void queryClient.setQueryData(friendsKey(7), friends));
    return screen.findByText(`${friends.length} friends`);
  };
  act(() => shell.openFriend(12));
  await setFriendsAndWait([]);
  expect(screen.getByText('nobody')).toBeVisible();
  await setFriendsAndWait([aFriend({ id: 12, username: 'heron' })]);
  expect(screen.getByText('nobody')).toBeVisible();
});
