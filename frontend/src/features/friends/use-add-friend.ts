import { useQueryClient } from '@tanstack/react-query';
import { friendRequestsKey, friendsKey, sendFriendRequest, useFriends } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import { settledHere } from '@/features/friends/settled-here';
import { useSentRequests, type SentState } from '@/features/friends/sent-requests';
import { ApiError } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

export type AddFriendState = 'idle' | SentState | 'friends';

/** How it stands between me and somebody, the same wherever it is shown, and the one way to ask. */
export const useAddFriend = (userId: number, personId: number) => {
  const queries = useQueryClient();
  const { data: friends } = useFriends(userId);
  const sent = useSentRequests(({ byPerson }) => byPerson[personId]);
  const isFriend = friends?.some(({ id }) => id === personId) ?? false;
  const state: AddFriendState = isFriend ? 'friends' : (sent ?? 'idle');

  const add = async (): Promise<void> => {
    const requests = useSentRequests.getState();
    // A second click, here or at the other button, comes before this one is answered.
    if (isFriend || requests.byPerson[personId]) return;
    requests.set(personId, 'sending');
    try {
      const { id, status } = await sendFriendRequest(userId, personId);
      if (status === 'accepted') settledHere.add(id);
      requests.set(personId, 'sent');
      toast(status === 'accepted' ? copy.toasts.sentAndAccepted : copy.toasts.sent);
      if (status === 'accepted') {
        await queries.invalidateQueries({ queryKey: friendsKey(userId) });
        await queries.invalidateQueries({ queryKey: friendRequestsKey(userId) });
      }
    } catch (error) {
      console.warn('The friend request was not sent', error);
      requests.forget(personId);
      toast({ ...copy.toasts.sendFailed, tone: 'destructive' });
      // Somebody was quicker: we are friends already.
      if (error instanceof ApiError && error.status === 409) {
        await queries.invalidateQueries({ queryKey: friendsKey(userId) });
      }
    }
  };

  return { state, add: () => void add() };
};
