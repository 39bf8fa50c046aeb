import { type CaseItem } from '@thaw/contract/moderation';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { caseQuery, personQuery } from '@/features/moderation/api/queries';

/**
 * Loads the next case and its person in advance, so that the case is shown without delay.
 * @param next undefined until the moderator opens the decision form, because the server records every loaded case as
 *   read by the moderator
 */
export const usePrefetchNextCase = (next: Pick<CaseItem, 'id' | 'userId'> | undefined): void => {
  const queries = useQueryClient();
  const { id, userId } = next ?? {};
  useEffect(() => {
    if (id === undefined || userId === undefined) return;
    void queries.prefetchQuery(caseQuery(id));
    void queries.prefetchQuery(personQuery(userId));
  }, [queries, id, userId]);
};
