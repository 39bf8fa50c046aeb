import { type AgeAnswer, type Notice } from '@thaw/contract/safety';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readNotice } from '@/features/standing/api/notices';
import { noticesKey, putNotice } from '@/features/standing/api/notices-cache';
import { copy } from '@/features/standing/copy';
import { closeNotice } from '@/features/standing/stores/notice-dialog.store';
import { ApiError } from '@/lib/api-client';
import { refreshStanding } from '@/product/refresh-standing';
import { toast } from '@/ui/toast-store';

/** Marks a notice as seen. If that fails, the notice is shown again on the next arrival. */
export const useMarkSeen = (userId: number): ((notice: Notice) => void) => {
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (noticeId: number) => readNotice(noticeId, { seen: true }),
    onSuccess: (notice) => putNotice(queries, userId, notice),
    onError: (error) => console.warn('The notice was not marked as seen', error),
  });
  return ({ id, seenAt }) => (seenAt === null ? mutate(id) : undefined);
};

/** Answers the question for the user's age, which ends or changes their standing. */
export const useAgeAnswer = (userId: number, { id }: Notice) => {
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async (answer: AgeAnswer) => {
      try {
        putNotice(queries, userId, await readNotice(id, { seen: true, answer }));
      } catch (error) {
        // Answered before, perhaps in another tab.
        if (!(error instanceof ApiError && error.code === 'already_answered')) throw error;
        void queries.invalidateQueries({ queryKey: noticesKey(userId) });
      }
      await refreshStanding();
    },
    onSuccess: () => closeNotice(id),
    onError: (error) => {
      console.warn('The answer was not saved', error);
      const message = error instanceof ApiError ? error.serverMessage : undefined;
      const { title, description } = copy.ageFailed;
      toast({ title, description: message ?? description, tone: 'destructive' });
    },
  });
  return { isPending, answer: (answer: AgeAnswer): void => mutate(answer) };
};
