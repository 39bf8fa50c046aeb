import { type Friend } from '@thaw/contract/users';
import { useEffect } from 'react';
import { shell, useShell } from '@/app/shell/shell-store';
import { useFriends } from '@/features/friends/api/friends';
import { onAppEvent } from '@/product/app-events';

/** Returns the friend whose private chat is open. The chat closes when the friendship ends. */
export const useOpenFriend = (userId: number): Friend | undefined => {
  const openFriendId = useShell((state) => state.openFriendId);
  const { data: friends } = useFriends(userId);
  const friend = friends?.find(({ id }) => id === openFriendId);
  const isNoLongerFriend = openFriendId !== undefined && friends !== undefined && !friend;

  useEffect(() => {
    if (isNoLongerFriend) shell.closeFriend();
  }, [isNoLongerFriend]);
  // While the list of friends is not loaded, the effect above does not notice that the friendship ends.
  useEffect(
    () =>
      onAppEvent('friendship-removed', ({ removedFriendId, removedBy }) => {
        const { openFriendId: currentId } = useShell.getState();
        // Either id may be the friend's: both users receive the same payload.
        if (currentId === removedFriendId || currentId === removedBy) shell.closeFriend();
      }),
    [],
  );
  return friend;
};
