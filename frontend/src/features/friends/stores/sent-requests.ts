import { useMutationState, type QueryClient } from '@tanstack/react-query';

export type SentState = 'sending' | 'sent';

const everyKey = ['friend-request'] as const;

/** Under this key the cache of mutations has the request to a person: every Add Friend of the page shows it (A138). */
export const sentRequestKey = (personId: number) => [...everyKey, personId] as const;

const filterOf = (personId: number) => ({ mutationKey: sentRequestKey(personId), exact: true });

const stateOf = (status: string | undefined): SentState | undefined => {
  if (status === 'pending') return 'sending';
  return status === 'success' ? 'sent' : undefined;
};

/** How far the last request to this person is, for a component. */
export const useSentRequest = (personId: number): SentState | undefined =>
  stateOf(useMutationState({ filters: filterOf(personId), select: ({ state }) => state.status }).at(-1));

export const sentRequest = (queries: QueryClient, personId: number): SentState | undefined =>
  stateOf(queries.getMutationCache().findAll(filterOf(personId)).at(-1)?.state.status);

/** One person's, when the friendship ended; everybody's with a new match, or another user at this page (A139). */
export const forgetSentRequests = (queries: QueryClient, personId?: number): void => {
  const mutations = queries.getMutationCache();
  const filter = personId === undefined ? { mutationKey: everyKey } : filterOf(personId);
  for (const mutation of mutations.findAll(filter)) mutations.remove(mutation);
};
