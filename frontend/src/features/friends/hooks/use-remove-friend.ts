import { type Friend } from '@thaw/contract/users';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { friendsKey, removeFriend } from '@/features/friends/api/friends';
import { withoutFriend } from '@/features/friends/friend-list';
import { removeSentRequests } from '@/features/friends/stores/sent-requests';

/** Removes a friend without confirmation (docs/product-decisions.md, A135) and logs a failure to the console only. */
export const useRemoveFriend = (userId: number): ((friendId: number) => void) => {
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (friendId: number) => removeFriend(userId, friendId),
    onSuccess: (_, friendId) => {
      // Otherwise the Add Friend buttons would still show an earlier request as sent.
      removeSentRequests(queries, friendId);
      queries.setQueryData<Friend[]>(
        friendsKey(userId),
        (friends) => friends && withoutFriend(friends, friendId),
      );
    },
    onError: (error) => console.warn('The friend was not removed', error),
    onSettled: () => queries.invalidateQueries({ queryKey: friendsKey(userId) }),
  });
  return mutate;
};
