import { type Notice } from '@thaw/contract/safety';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fileAppeal } from '@/features/standing/api/appeals';
import { noticesKey, putNotice } from '@/features/standing/api/notices-cache';
import { copy } from '@/features/standing/copy';
import { ApiError } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

/** Appeals against a decision, and shows a toast when that fails. */
export const useAppeal = (userId: number, notice: Notice) => {
  const queries = useQueryClient();
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (words: string) => fileAppeal({ userId, noticeId: notice.id, words }),
    onSuccess: () => putNotice(queries, userId, { ...notice, appeal: { ...notice.appeal, state: 'open' } }),
    onError: (error) => {
      console.warn('The appeal was not sent', error);
      const isRefused = error instanceof ApiError;
      const { title, description } = copy.appeal.failed;
      toast({
        title,
        description: (isRefused && error.serverMessage) || description,
        tone: 'destructive',
      });
      // It was decided, or its time is over.
      if (isRefused && error.status === 409) void queries.invalidateQueries({ queryKey: noticesKey(userId) });
    },
  });
  return { isPending, isSent: isSuccess, send: (words: string): void => mutate(words) };
};
