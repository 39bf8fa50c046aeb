import { type AgeAnswer, type Notice } from '@thaw/contract/safety';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { updateNotice } from '@/features/standing/api/notices';
import { noticesKey, putNotice } from '@/features/standing/api/notices-cache';
import { copy } from '@/features/standing/copy';
import { closeNotice } from '@/features/standing/stores/notice-dialog.store';
import { ApiError } from '@/lib/api-client';
import { refreshStanding } from '@/product/refresh-standing';
import { toast } from '@/ui/toast-store';

/** Returns a function that marks a notice as seen. If that fails, the next page load shows the notice again. */
export const useMarkSeen = (userId: number): ((notice: Notice) => void) => {
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (noticeId: number) => updateNotice(noticeId, { seen: true }),
    onSuccess: (notice) => putNotice(queryClient, userId, notice),
    onError: (error) => console.warn('The notice was not marked as seen', error),
  });
  return ({ id, seenAt }) => {
    if (seenAt === null) mutate(id);
  };
};

/**
 * Answers the age question of a notice. Until then the user cannot search for a chat; the answer ends this restriction
 * or, if they are under 18, suspends them.
 */
export const useAgeAnswer = (userId: number, { id }: Notice) => {
  const queryClient = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async (answer: AgeAnswer) => {
      try {
        putNotice(queryClient, userId, await updateNotice(id, { seen: true, answer }));
      } catch (error) {
        // Answered already, perhaps in another tab: this counts as success. The cached notice lacks the answer, so it
        // is fetched again, while the dialog closes.
        if (!(error instanceof ApiError && error.code === 'already_answered')) throw error;
        void queryClient.invalidateQueries({ queryKey: noticesKey(userId) });
      }
      await refreshStanding();
    },
    onSuccess: () => closeNotice(id),
    onError: (error) => {
      console.warn('The answer was not saved', error);
      const message = error instanceof ApiError ? error.serverMessage : undefined;
      const { title, description } = copy.answerFailed;
      toast({ title, description: message ?? description, tone: 'destructive' });
    },
  });
  return { isPending, answer: (answer: AgeAnswer): void => mutate(answer) };
};
