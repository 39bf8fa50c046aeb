import { type SelfUser } from '@thaw/contract/users';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '@/lib/api-client';
import { loader } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { parseUserResponse } from '@/product/user-response';

/** Loads the user of the session; resolves to null when the session is over (A148). */
const loadSessionUser = loader({ on401: 'empty' });

/** The fields in which two states of the same user differ, with the values of the later state. */
const changedFields = (before: SelfUser | null, after: SelfUser | null): Partial<SelfUser> =>
  before && after && before.id === after.id
    ? Object.fromEntries(
        Object.entries(after).filter(([field, value]) => value !== before[field as keyof SelfUser]),
      )
    : {};

/**
 * Loads the user from the server whenever the component mounts, since the stored user may outlive the session cookie
 * (A04). Updates the stored user, or signs out when the session or the user no longer exists. Until the response arrives
 * the page shows the stored user; the server enforces permissions in any case.
 * @returns whether the server has answered, and whether it named a moderator.
 */
export const useSessionCheck = (userId: number | undefined): { isChecked: boolean; isModerator: boolean } => {
  const { data, error } = useQuery({
    queryKey: [`/api/user/${userId}`],
    queryFn: async (context) => {
      const userAtRequest = currentUser();
      const response = await loadSessionUser(context);
      if (response === null) return null;
      // What a push or a save changed in the meantime is newer than the response.
      return { ...parseUserResponse(response), ...changedFields(userAtRequest, currentUser()) };
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
  return { isChecked: data !== undefined || error !== null, isModerator: data?.isModerator ?? false };
};
