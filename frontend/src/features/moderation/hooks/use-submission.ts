import { type ModerationCase } from '@thaw/contract/moderation';
import { useQueryClient } from '@tanstack/react-query';
import { type Go } from '@/features/moderation/address';
import { caseKey, caseQuery, casesUrl, personKey } from '@/features/moderation/api/queries';
import { copy } from '@/features/moderation/copy';
import { explainFailure } from '@/features/moderation/failure';
import { findNextCase, type QueueRow } from '@/features/moderation/queue/queue-rows';
import { getUserName } from '@/features/moderation/queue/user-name';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';

/** Whether the moderator has begun with something else, so that the page must not change below their hands. */
const isBusyElsewhere = (): boolean => {
  const { isFormOpen } = useWorkbench.getState();
  const { activeElement } = document;
  return (
    isFormOpen ||
    document.querySelector('[role="dialog"]') !== null ||
    (activeElement instanceof HTMLTextAreaElement && activeElement.value !== '')
  );
};

export interface Submission {
  shown: ModerationCase;
  /** Sends the decision. */
  send: () => Promise<unknown>;
  announcement: string;
}

/**
 * Sends a decision and shows the next case at once. If the server refuses, what the moderator wrote is kept and the
 * case comes back in its newest state; when they have begun with something else meanwhile, a message leads there.
 */
export const useSubmission = (me: number, rows: readonly QueueRow[], go: Go) => {
  const queries = useQueryClient();

  const comeBack = async (caseId: number, error: unknown): Promise<void> => {
    console.warn('The decision was not taken', error);
    workbench.fail({ caseId, text: explainFailure(error) });
    workbench.stopSending(caseId);
    // The newest state first: the form would show the old one for a moment.
    await queries.invalidateQueries({ queryKey: caseKey(caseId), refetchType: 'none' });
    await queries.fetchQuery({ ...caseQuery(caseId), staleTime: 0 }).catch(() => undefined);
    void queries.invalidateQueries({ queryKey: [casesUrl] });
    if (isBusyElsewhere()) return;
    workbench.openForm();
    go({ view: 'queue', caseId });
  };

  return async ({ shown, send, announcement }: Submission): Promise<void> => {
    const { id: caseId, userId } = shown;
    const next = findNextCase(rows, caseId, me);
    workbench.startSending(caseId);
    workbench.closeForm();
    workbench.moveCursor(next?.id);
    workbench.announce(
      [copy.done.deciding(caseId), next ? copy.done.next(copy.case.title(next.id, getUserName(next))) : '']
        .join(' ')
        .trim(),
    );
    go({ caseId: next?.id });
    try {
      const answer = await send();
      workbench.dropDraft(caseId);
      workbench.forgetClaimByForm(caseId);
      workbench.announce(announcement);
      if (typeof answer === 'object' && answer !== null && 'history' in answer)
        queries.setQueryData(caseKey(caseId), answer);
      else void queries.invalidateQueries({ queryKey: caseKey(caseId) });
      void queries.invalidateQueries({ queryKey: personKey(userId) });
    } catch (error) {
      await comeBack(caseId, error);
      return;
    }
    // The case stays out of the list until the queue is known to be without it.
    await queries.invalidateQueries({ queryKey: [casesUrl], type: 'active' });
    workbench.stopSending(caseId);
  };
};
