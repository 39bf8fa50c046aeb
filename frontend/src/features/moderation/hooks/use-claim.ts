import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { claimCase, releaseCase } from '@/features/moderation/api/calls';
import { caseKey, casesUrl, type Queue } from '@/features/moderation/api/queries';
import { copy } from '@/features/moderation/copy';
import { toastFailure } from '@/features/moderation/failure';
import { workbench } from '@/features/moderation/stores/workbench.store';

const changeEverywhere = (queries: QueryClient, caseId: number, changes: Partial<CaseItem>): void => {
  queries.setQueryData<ModerationCase>(caseKey(caseId), (shown) => shown && { ...shown, ...changes });
  queries.setQueriesData<Queue>({ queryKey: [casesUrl] }, (queue) =>
    queue
      ? {
          ...queue,
          pages: queue.pages.map((page) => ({
            ...page,
            cases: page.cases.map((item) => (item.id === caseId ? { ...item, ...changes } : item)),
          })),
        }
      : queue,
  );
};

/** Claims and releases cases, and shows the result at once in the case and in the queue. */
export const useClaim = () => {
  const queries = useQueryClient();
  return useMemo(() => {
    const reload = async (caseId: number): Promise<void> => {
      await queries.invalidateQueries({ queryKey: caseKey(caseId) });
      await queries.invalidateQueries({ queryKey: [casesUrl] });
    };
    const claim = async (caseId: number): Promise<boolean> => {
      try {
        const { claimedBy, until, version } = await claimCase(caseId);
        const before = queries.getQueryData<ModerationCase>(caseKey(caseId))?.version;
        changeEverywhere(queries, caseId, { claimedBy, claimedUntil: until });
        // The claim itself is one event. More of them: the moderator has not seen what else happened.
        if (before !== undefined && version > before + 1) await reload(caseId);
        else changeEverywhere(queries, caseId, { version });
        return true;
      } catch (error) {
        toastFailure(error);
        await reload(caseId);
        return false;
      }
    };
    const release = async (caseId: number): Promise<void> => {
      workbench.forgetClaimByForm(caseId);
      changeEverywhere(queries, caseId, { claimedBy: null, claimedUntil: null });
      try {
        await releaseCase(caseId);
      } catch (error) {
        toastFailure(error);
      }
      await reload(caseId);
    };
    return {
      claim: async (caseId: number): Promise<void> => {
        if (await claim(caseId)) workbench.announce(copy.done.claimed(caseId));
      },
      /** Claims because the decision is opened. */
      claimForForm: async (caseId: number): Promise<void> => {
        if (await claim(caseId)) workbench.markClaimedByForm(caseId);
      },
      release: async (caseId: number): Promise<void> => {
        await release(caseId);
        workbench.announce(copy.done.released(caseId));
      },
    };
  }, [queries]);
};
