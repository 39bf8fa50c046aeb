import { useMutationState, type QueryClient } from '@tanstack/react-query';

export type SentState = 'sending' | 'sent';

const allRequestsKey = ['friend-request'] as const;

/**
 * Mutation key of the friend request to a person. Every Add Friend button for this person reads the state of the same
 * mutation (docs/product-decisions.md, A138).
 */
export const sentRequestKey = (personId: number) => [...allRequestsKey, personId] as const;

const createRequestFilter = (personId: number) => ({ mutationKey: sentRequestKey(personId), exact: true });

const toSentState = (status: string | undefined): SentState | undefined => {
  if (status === 'pending') return 'sending';
  return status === 'success' ? 'sent' : undefined;
};

/** Returns the state of the last request to a person, and renders again when it changes. */
export const useSentRequest = (personId: number): SentState | undefined =>
  toSentState(
    useMutationState({ filters: createRequestFilter(personId), select: ({ state }) => state.status }).at(-1),
  );

/** Returns the current state of the last request to a person. */
export const readSentRequest = (queries: QueryClient, personId: number): SentState | undefined =>
  toSentState(queries.getMutationCache().findAll(createRequestFilter(personId)).at(-1)?.state.status);

/**
 * Removes the state of the request to one person, when the friendship ends or the person is blocked. Without `personId`
 * removes the state of all requests, on a new match (docs/product-decisions.md, A139) or when another user signs in.
 */
export const removeSentRequests = (queries: QueryClient, personId?: number): void => {
  const mutations = queries.getMutationCache();
  const filter = personId === undefined ? { mutationKey: allRequestsKey } : createRequestFilter(personId);
  for (const mutation of mutations.findAll(filter)) mutations.remove(mutation);
};
