import { useMutationState, type QueryClient } from '@tanstack/react-query';

export type SentState = 'sending' | 'sent';

const everyKey = ['friend-request'] as const;

/** Mutation key of the friend request to a person: every Add Friend button reads the same state by it (A138). */
export const sentRequestKey = (personId: number) => [...everyKey, personId] as const;

const filterOf = (personId: number) => ({ mutationKey: sentRequestKey(personId), exact: true });

const stateOf = (status: string | undefined): SentState | undefined => {
  if (status === 'pending') return 'sending';
  return status === 'success' ? 'sent' : undefined;
};

/** State of the last request to this person, as a hook. */
export const useSentRequest = (personId: number): SentState | undefined =>
  stateOf(useMutationState({ filters: filterOf(personId), select: ({ state }) => state.status }).at(-1));

export const sentRequest = (queries: QueryClient, personId: number): SentState | undefined =>
  stateOf(queries.getMutationCache().findAll(filterOf(personId)).at(-1)?.state.status);

/**
 * Removes the state of one person's request when the friendship ends; of all requests on a new match or when another
 * user signs in (A139).
 */
export const forgetSentRequests = (queries: QueryClient, personId?: number): void => {
  const mutations = queries.getMutationCache();
  const filter = personId === undefined ? { mutationKey: everyKey } : filterOf(personId);
  for (const mutation of mutations.findAll(filter)) mutations.remove(mutation);
};
