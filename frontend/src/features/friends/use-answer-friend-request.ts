import { type FriendRequest } from '@thaw/contract/friends';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerFriendRequest, friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import { toast } from '@/ui/toast-store';

export type Answer = 'accepted' | 'declined';

/** Accepts or declines one request; told by a toast either way. */
export const useAnswerFriendRequest = (userId: number, { id }: FriendRequest) => {
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (answer: Answer) => answerFriendRequest(id, answer),
    onSuccess: (_, answer) => {
      queries.setQueryData<FriendRequest[]>(friendRequestsKey(userId), (requests) =>
        requests?.filter((request) => request.id !== id),
      );
      toast(answer === 'accepted' ? copy.toasts.accepted : copy.toasts.declined);
    },
    onError: (error) => {
      console.warn('The friend request was not answered', error);
      toast({ ...copy.toasts.answerFailed, tone: 'destructive' });
    },
    onSettled: (_, __, answer) => {
      void queries.invalidateQueries({ queryKey: friendRequestsKey(userId) });
      if (answer === 'accepted') void queries.invalidateQueries({ queryKey: friendsKey(userId) });
    },
  });
  return { isPending, answer: (answer: Answer) => (isPending ? undefined : mutate(answer)) };
};
