import { type SelfUser } from '@thaw/contract/users';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '@/lib/api-client';
import { loader } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { toUser } from '@/product/user-answer';

/** Null when the session is over (A148). */
const probe = loader({ on401: 'empty' });

/** What was pushed or saved between the two: it is newer than an answer that was asked for at the first. */
const changesOf = (before: SelfUser | null, now: SelfUser | null): Partial<SelfUser> =>
  before && now && before.id === now.id
    ? Object.fromEntries(
        Object.entries(now).filter(([field, value]) => value !== before[field as keyof SelfUser]),
      )
    : {};

/**
 * The stored user may outlive the cookie: the server is asked on every entry (A04). Meanwhile the page is shown with
 * what is stored; rights are the server's concern in any case.
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
