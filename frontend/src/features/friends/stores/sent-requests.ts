import { useMutationState, type QueryClient } from '@tanstack/react-query';

export type SentState = 'sending' | 'sent';

const sentRequestsKey = ['friend-request'] as const;

/** Mutation key of the friend request to a person: every Add Friend button reads the same state by it (A138). */
export const sentRequestKey = (personId: number) => [...sentRequestsKey, personId] as const;

const createRequestFilter = (personId: number) => ({ mutationKey: sentRequestKey(personId), exact: true });

const toSentState = (status: string | undefined): SentState | undefined => {
  if (status === 'pending') return 'sending';
  return status === 'success' ? 'sent' : undefined;
};

/** State of the last request to this person, as a hook. */
export const useSentRequest = (personId: number): SentState | undefined =>
  toSentState(
    useMutationState({ filters: createRequestFilter(personId), select: ({ state }) => state.status }).at(-1),
  );

/** State of the last request to this person, read once. */
export const readSentRequest = (queries: QueryClient, personId: number): SentState | undefined =>
  toSentState(queries.getMutationCache().findAll(createRequestFilter(personId)).at(-1)?.state.status);

/**
 * Removes the state of one person's request when the friendship ends; of all requests on a new match or when another
 * user signs in (A139).
 */
export const removeSentRequests = (queries: QueryClient, personId?: number): void => {
  const mutations = queries.getMutationCache();
  const filter = personId === undefined ? { mutationKey: sentRequestsKey } : createRequestFilter(personId);
  for (const mutation of mutations.findAll(filter)) mutations.remove(mutation);
};
