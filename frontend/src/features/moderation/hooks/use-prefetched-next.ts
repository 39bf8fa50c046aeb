import { type CaseItem } from '@thaw/contract/moderation';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { caseQuery, personQuery } from '@/features/moderation/api/queries';

/**
 * Loads the next case and its person while the present one is being decided, so that it is on screen at once. Not
 * earlier, since every case that is loaded is recorded as read.
 */
export const usePrefetchedNext = (next: Pick<CaseItem, 'id' | 'userId'> | undefined): void => {
  const queries = useQueryClient();
  const { id, userId } = next ?? {};
  useEffect(() => {
    if (id === undefined || userId === undefined) return;
    void queries.prefetchQuery(caseQuery(id));
    void queries.prefetchQuery(personQuery(userId));
  }, [queries, id, userId]);
};
