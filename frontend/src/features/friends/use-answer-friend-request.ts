import { type FriendRequest } from '@thaw/contract/friends';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { answerFriendRequest, friendRequestsKey, friendsKey } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import { toast } from '@/ui/toast-store';

export type Answer = 'accepted' | 'declined';

/** Accepts or declines one request; told by a toast either way. */
export const useAnswerFriendRequest = (userId: number, { id }: FriendRequest) => {
  const queries = useQueryClient();
  const isAnswered = useRef(false);
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (answer: Answer) => answerFriendRequest(id, answer),
    onSuccess: (_, answer) => {
      queries.setQueryData<FriendRequest[]>(friendRequestsKey(userId), (requests) =>
        requests?.filter((request) => request.id !== id),
      );
      toast(answer === 'accepted' ? copy.toasts.accepted : copy.toasts.declined);
    },
    onError: (error) => {
      isAnswered.current = false;
      console.warn('The friend request was not answered', error);
      toast({ ...copy.toasts.answerFailed, tone: 'destructive' });
    },
    onSettled: (_, __, answer) => {
      void queries.invalidateQueries({ queryKey: friendRequestsKey(userId) });
      if (answer === 'accepted') void queries.invalidateQueries({ queryKey: friendsKey(userId) });
    },
  });
  const answer = (given: Answer): void => {
    // A second click may come before anything is drawn anew.
    if (isAnswered.current) return;
    isAnswered.current = true;
    mutate(given);
  };
  return { isAnswered: isPending || isSuccess, answer };
};
