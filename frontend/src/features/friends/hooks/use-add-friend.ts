import { useMutation, useQueryClient } from '@tanstack/react-query';
import { friendRequestsKey, friendsKey, sendFriendRequest, useFriends } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import {
  readSentRequest,
  sentRequestKey,
  useSentRequest,
  type SentState,
} from '@/features/friends/stores/sent-requests';
import { requestIdsSettledByThisPage } from '@/features/friends/stores/settled-requests';
import { ApiError } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

export type AddFriendState = 'idle' | SentState | 'friends';

/**
 * Returns the state of the friend request from the user to a person, and the function that sends it. All buttons for a
 * person share the state.
 */
export const useAddFriend = (userId: number, personId: number) => {
  const queries = useQueryClient();
  const { data: friends } = useFriends(userId);
  const isFriend = friends?.some(({ id }) => id === personId) ?? false;
  const sent = useSentRequest(personId);

  const { mutate } = useMutation({
    mutationKey: sentRequestKey(personId),
    mutationFn: () => sendFriendRequest(userId, personId),
    // The buttons share the state of this mutation, also when none is mounted. `removeSentRequests` removes it, for
    // example at the next match.
    gcTime: Infinity,
    onSuccess: ({ id, status }) => {
      if (status !== 'accepted') {
        toast(copy.toasts.sent);
        return;
      }
      // The other user had already sent a request, so the two are friends now.
      toast(copy.toasts.sentAndAccepted);
      // The `friendship_accepted` frame that follows must not show a second toast.
      requestIdsSettledByThisPage.add(id);
      for (const queryKey of [friendsKey(userId), friendRequestsKey(userId)])
        void queries.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      console.warn('The friend request was not sent', error);
      toast({ ...copy.toasts.sendFailed, tone: 'destructive' });
      // With 409, the two have become friends in the meantime.
      if (error instanceof ApiError && error.status === 409)
        void queries.invalidateQueries({ queryKey: friendsKey(userId) });
    },
  });

  const add = (): void => {
    // A second click, on this button or another one, may come before the next render.
    if (!isFriend && !readSentRequest(queries, personId)) mutate();
  };

  const state: AddFriendState = isFriend ? 'friends' : (sent ?? 'idle');
  return { state, add };
};
