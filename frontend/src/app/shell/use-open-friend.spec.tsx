import { useQuery } from '@tanstack/react-query';
import { act, screen } from '@testing-library/react';
import { shell } from '@/app/shell/shell-store';
import { useOpenFriend } from '@/app/shell/use-open-friend';
import { friendsKey, friendsQuery } from '@/features/friends/api/friends';
import { createQueryClient } from '@/lib/query-client';
import { raise } from '@/product/app-events';
import { aFriend } from '@/testing/factories';
import { renderWithCache } from '@/testing/with-cache';

const me = 7;
const friendId = 12;
const otherFriendId = 13;

/** Shows the open friend and the number of cached friends. */
const OpenFriend = () => {
  // Disabled, so that it only reads the cache.
  const { data: friends = [] } = useQuery({ ...friendsQuery(me), enabled: false });
  return (
    <>
      <p>{useOpenFriend(me)?.username ?? 'nobody'}</p>
      <p>{`${friends.length} friends`}</p>
    </>
  );
};

const renderOpenFriend = () => {
  const queryClient = createQueryClient();
  queryClient.setQueryData(friendsKey(me), [aFriend({ id: friendId, username: 'heron' })]);
  return renderWithCache(<OpenFriend />, queryClient);
};

beforeEach(() => shell.reset());

describe('useOpenFriend', () => {
  it('returns the friend whose chat is open', () => {
    renderOpenFriend();
    expect(screen.getByText('nobody')).toBeVisible();
    act(() => shell.openFriend(friendId));
    expect(screen.getByText('heron')).toBeVisible();
    act(() => shell.closeFriend());
    expect(screen.getByText('nobody')).toBeVisible();
  });

  it.each([
    ['the user', { removedBy: me, removedFriendId: friendId }],
    ['the friend', { removedBy: friendId, removedFriendId: me }],
  ])('closes the chat when %s removes the friendship', (_, detail) => {
    renderOpenFriend();
    act(() => shell.openFriend(friendId));
    act(() => raise('friendship-removed', detail));
    expect(screen.getByText('nobody')).toBeVisible();
  });

  it('keeps the chat open when another friendship is removed', () => {
    renderOpenFriend();
    act(() => shell.openFriend(friendId));
    act(() => raise('friendship-removed', { removedBy: otherFriendId, removedFriendId: me }));
    expect(screen.getByText('heron')).toBeVisible();
  });

  it('closes the chat when the friend leaves the list, and does not reopen it when the friend is back', async () => {
    const { queryClient } = renderOpenFriend();
    const changeFriends = (friends: unknown[]) => {
      act(() => void queryClient.setQueryData(friendsKey(me), friends));
      // The query cache notifies its observers asynchronously.
      return screen.findByText(`${friends.length} friends`);
    };
    act(() => shell.openFriend(friendId));
    await changeFriends([]);
    expect(screen.getByText('nobody')).toBeVisible();
    await changeFriends([aFriend({ id: friendId, username: 'heron' })]);
    expect(screen.getByText('nobody')).toBeVisible();
  });
});
