import { type ModerationCase } from '@thaw/contract/moderation';
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeAddress } from '@/features/moderation/address';
import { caseKey, caseQuery, casesUrl, personKey } from '@/features/moderation/api/queries';
import { copy } from '@/features/moderation/copy';
import { explainFailure } from '@/features/moderation/failure';
import { findNextCase, type QueueRow } from '@/features/moderation/queue/queue-rows';
import { getUserName } from '@/features/moderation/queue/user-name';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';

/**
 * Whether the moderator is already doing something else: a decision form or a dialog is open, or the focused text area
 * has input. The page must not switch to another case then.
 */
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
  moderationCase: ModerationCase;
  /** Sends the decision. Resolves with the changed case, or with another response that is not used. */
  send: () => Promise<unknown>;
  /** Announced when the server has accepted the decision. */
  announcement: string;
}

/**
 * Returns a function that sends a decision and shows the next case immediately. If the request fails, the input of the
 * moderator is kept and the case is reopened in its newest state. If the moderator is already doing something else, the
 * case is not reopened; `FailureBanners` then shows a link to it.
 */
export const useSubmission = (myId: number, rows: readonly QueueRow[], changeAddress: ChangeAddress) => {
  const queries = useQueryClient();

  const reopenCase = async (caseId: number, error: unknown): Promise<void> => {
    console.warn('The decision could not be sent', error);
    workbench.addFailure({ caseId, text: explainFailure(error) });
    workbench.stopSending(caseId);
    // The newest state is loaded before the form opens, so that the form does not show the old one. If this request
    // fails, the case is still marked as stale, so it is loaded again when it is opened.
    await queries.invalidateQueries({ queryKey: caseKey(caseId), refetchType: 'none' });
    await queries.fetchQuery({ ...caseQuery(caseId), staleTime: 0 }).catch(() => undefined);
    void queries.invalidateQueries({ queryKey: [casesUrl] });
    if (isBusyElsewhere()) return;
    workbench.openForm();
    changeAddress({ view: 'queue', caseId });
  };

  /** Stores the changed case if the response is one; otherwise the case is loaded again. */
  const storeResponse = ({ id: caseId, userId }: ModerationCase, response: unknown): void => {
    // Only a case has a `history`.
    if (typeof response === 'object' && response !== null && 'history' in response)
      queries.setQueryData(caseKey(caseId), response);
    else void queries.invalidateQueries({ queryKey: caseKey(caseId) });
    void queries.invalidateQueries({ queryKey: personKey(userId) });
  };

  return async ({ moderationCase, send, announcement }: Submission): Promise<void> => {
    const { id: caseId } = moderationCase;
    const next = findNextCase(rows, caseId, myId);
    workbench.startSending(caseId);
    workbench.closeForm();
    workbench.moveCursorTo(next?.id);
    const nextText = next ? ` ${copy.done.next(copy.case.title(next.id, getUserName(next)))}` : '';
    workbench.announce(`${copy.done.deciding(caseId)}${nextText}`);
    changeAddress({ caseId: next?.id });
    try {
      const response = await send();
      workbench.removeDraft(caseId);
      // The decision has ended the claim, so closing the form must not release it.
      workbench.removeClaimByForm(caseId);
      workbench.announce(announcement);
      storeResponse(moderationCase, response);
    } catch (error) {
      await reopenCase(caseId, error);
      return;
    }
    // `stopSending` stops hiding the case in the list, so the queue without the case is loaded first.
    await queries.invalidateQueries({ queryKey: [casesUrl], type: 'active' });
    workbench.stopSending(caseId);
  };
};
