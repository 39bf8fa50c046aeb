import { type FriendRequest } from '@thaw/contract/friends';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { settleRequest, type Answer } from '@/features/friends/stores/settle-request';

/** Accepts or declines a request. Repeated calls are ignored, unless the previous one has failed. */
export const useAnswerFriendRequest = (userId: number, { id }: FriendRequest) => {
  const queries = useQueryClient();
  const isSubmitted = useRef(false);
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (answer: Answer) => settleRequest(queries, userId, id, answer),
    onError: () => {
      isSubmitted.current = false;
    },
  });
  const answerOnce = (answer: Answer): void => {
    // A second click may come before the next render.
    if (isSubmitted.current) return;
    isSubmitted.current = true;
    mutate(answer);
  };
  return { isAnswered: isPending || isSuccess, answer: answerOnce };
};
