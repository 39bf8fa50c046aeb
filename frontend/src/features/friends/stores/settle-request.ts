import { type FriendRequest } from '@thaw/contract/friends';
import { type QueryClient } from '@tanstack/react-query';
import { answerFriendRequest, friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import { requestIdsSettledByThisPage } from '@/features/friends/stores/settled-requests';
import { toast } from '@/ui/toast-store';

export type Answer = 'accepted' | 'declined';

/**
 * Accepts or declines a request and shows a toast for either outcome.
 * @throws the error of the HTTP request, after the toast
 */
export const settleRequest = async (
  queries: QueryClient,
  userId: number,
  requestId: number,
  answer: Answer,
): Promise<void> => {
  // Prevents a second toast for the `friendship_accepted` frame, which may arrive before the response.
  requestIdsSettledByThisPage.add(requestId);
  try {
    await answerFriendRequest(requestId, answer);
    queries.setQueryData<FriendRequest[]>(friendRequestsKey(userId), (requests) =>
      requests?.filter(({ id }) => id !== requestId),
    );
    toast(answer === 'accepted' ? copy.toasts.accepted : copy.toasts.declined);
  } catch (error) {
    requestIdsSettledByThisPage.delete(requestId);
    console.warn('The friend request was not answered', error);
    toast({ ...copy.toasts.answerFailed, tone: 'destructive' });
    throw error;
  } finally {
    void queries.invalidateQueries({ queryKey: friendRequestsKey(userId) });
    if (answer === 'accepted') void queries.invalidateQueries({ queryKey: friendsKey(userId) });
  }
};
