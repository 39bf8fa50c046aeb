import { type SelfUser } from '@thaw/contract/users';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '@/lib/api-client';
import { loader } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { toUser } from '@/product/user-answer';

/** Resolves to null when the session is over (A148). */
const probe = loader({ on401: 'empty' });

/**
 * Fields that changed between two states of the user, by a push or a save: they are newer than the response of a
 * request sent at the first state.
 */
const changesOf = (before: SelfUser | null, now: SelfUser | null): Partial<SelfUser> =>
  before && now && before.id === now.id
    ? Object.fromEntries(
        Object.entries(now).filter(([field, value]) => value !== before[field as keyof SelfUser]),
      )
    : {};

/**
 * Checks the session with the server on every entry, since the stored user may outlive the cookie (A04). Until the
 * response arrives the page shows the stored user; the server enforces permissions in any case.
 */
export const useGuard = (userId: number | undefined): void => {
  const { data, error } = useQuery({
    queryKey: [`/api/user/${userId}`],
    queryFn: async (context) => {
      const before = currentUser();
      const answer = await probe(context);
      return answer === null ? null : { ...toUser(answer), ...changesOf(before, currentUser()) };
    },
    enabled: userId !== undefined,
    refetchOnMount: 'always',
    gcTime: 0,
  });
  useEffect(() => {
    if (data) signIn(data);
    if (data === null) signOut();
  }, [data]);
  useEffect(() => {
    if (error instanceof ApiError && error.status === 404) signOut();
  }, [error]);
};
