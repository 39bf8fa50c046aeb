import { type Notice } from '@thaw/contract/safety';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fileAppeal } from '@/features/standing/api/appeals';
import { noticesKey, putNotice } from '@/features/standing/api/notices-cache';
import { copy } from '@/features/standing/copy';
import { ApiError } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

/** Files an appeal against the decision of a notice, and shows a toast if the request fails. */
export const useAppeal = (userId: number, notice: Notice) => {
  const queryClient = useQueryClient();
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (words: string) => fileAppeal({ userId, noticeId: notice.id, words }),
    onSuccess: () =>
      putNotice(queryClient, userId, { ...notice, appeal: { ...notice.appeal, state: 'open' } }),
    onError: (error) => {
      console.warn('The appeal was not sent', error);
      const apiError = error instanceof ApiError ? error : undefined;
      const { title, description } = copy.appeal.failed;
      toast({
        title,
        description: apiError?.serverMessage || description,
        tone: 'destructive',
      });
      // 409: an appeal was decided already, or the period for appeals is over. The notice then shows its current state.
      if (apiError?.status === 409) void queryClient.invalidateQueries({ queryKey: noticesKey(userId) });
    },
  });
  return { isPending, isSent: isSuccess, send: (words: string): void => mutate(words) };
};
