import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { claimCase, releaseCase } from '@/features/moderation/api/calls';
import { caseKey, casesUrl, type Queue } from '@/features/moderation/api/queries';
import { copy } from '@/features/moderation/copy';
import { toastFailure } from '@/features/moderation/failure';
import { workbench } from '@/features/moderation/stores/workbench.store';

/** Changes a case in the cache: the case itself, and its entry in every list. */
const updateCachedCase = (queries: QueryClient, caseId: number, changes: Partial<CaseItem>): void => {
  queries.setQueryData<ModerationCase>(caseKey(caseId), (cached) => cached && { ...cached, ...changes });
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

/** Claims and releases cases, and updates the cached case and queue without waiting for a reload. */
export const useClaim = () => {
  const queries = useQueryClient();
  return useMemo(() => {
    const reload = async (caseId: number): Promise<void> => {
      await queries.invalidateQueries({ queryKey: caseKey(caseId) });
      await queries.invalidateQueries({ queryKey: [casesUrl] });
    };
    /** Returns whether the server has accepted the claim. */
    const tryClaim = async (caseId: number): Promise<boolean> => {
      try {
        const { claimedBy, until, version } = await claimCase(caseId);
        const loadedVersion = queries.getQueryData<ModerationCase>(caseKey(caseId))?.version;
        updateCachedCase(queries, caseId, { claimedBy, claimedUntil: until });
        // A claim raises the version by 1. A higher version means changes that the moderator has not seen yet.
        if (loadedVersion !== undefined && version > loadedVersion + 1) await reload(caseId);
        else updateCachedCase(queries, caseId, { version });
        return true;
      } catch (error) {
        toastFailure(error);
        await reload(caseId);
        return false;
      }
    };
    /** Shows the case as free immediately. Returns whether the server has released it. */
    const tryRelease = async (caseId: number): Promise<boolean> => {
      workbench.removeClaimByForm(caseId);
      updateCachedCase(queries, caseId, { claimedBy: null, claimedUntil: null });
      try {
        await releaseCase(caseId);
        return true;
      } catch (error) {
        toastFailure(error);
        return false;
      } finally {
        await reload(caseId);
      }
    };
    return {
      claim: async (caseId: number): Promise<void> => {
        if (await tryClaim(caseId)) workbench.announce(copy.done.claimed(caseId));
      },
      /** Claims a case because its decision form was opened. Closing the form without input releases the case. */
      claimForForm: async (caseId: number): Promise<void> => {
        if (await tryClaim(caseId)) workbench.addClaimByForm(caseId);
      },
      release: async (caseId: number): Promise<void> => {
        if (await tryRelease(caseId)) workbench.announce(copy.done.released(caseId));
      },
    };
  }, [queries]);
};
