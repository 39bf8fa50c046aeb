import { type Friend } from '@thaw/contract/users';
import { useEffect } from 'react';
import { shell, useShell } from '@/app/shell/shell-store';
import { useFriends } from '@/features/friends/api/friends';
import { onAppEvent } from '@/product/app-events';

/** Returns the friend whose private chat is open. The chat closes when the friendship ends (§4 Friend removal). */
export const useOpenFriend = (userId: number): Friend | undefined => {
  const openFriendId = useShell((state) => state.openFriendId);
  const { data: friends } = useFriends(userId);
  const friend = friends?.find(({ id }) => id === openFriendId);
  const isNoLongerFriend = openFriendId !== undefined && friends !== undefined && !friend;

  useEffect(() => {
    if (isNoLongerFriend) shell.closeFriend();
  }, [isNoLongerFriend]);
  useEffect(
    () =>
      onAppEvent('friendship-removed', ({ removedFriendId, removedBy }) => {
        const open = useShell.getState().openFriendId;
        // Either id may be the friend's: both users receive the same payload (A126).
        if (open === removedFriendId || open === removedBy) shell.closeFriend();
      }),
    [],
  );
  return friend;
};
