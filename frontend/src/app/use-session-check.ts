import { type SelfUser } from '@thaw/contract/users';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@/lib/api-client';
import { createQueryFunction } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { parseUserResponse } from '@/product/user-response';

const loadUser = createQueryFunction({ on401: 'empty' });

/** Loads the user of the session; resolves to null when the session is over (A148) or the user does not exist. */
const loadSessionUser = async (context: Parameters<typeof loadUser>[0]): Promise<unknown> => {
  try {
    return await loadUser(context);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
};

/** The fields in which two states of the same user differ, with the values of the later state. */
const selectChangedFields = (before: SelfUser, after: SelfUser): Partial<SelfUser> =>
  Object.fromEntries(
    Object.entries(after).filter(([field, value]) => value !== before[field as keyof SelfUser]),
  );

interface SessionCheckOptions {
  /** Interval at which the user is loaded again. */
  everyMs?: number | undefined;
}

/**
 * Loads the user from the server whenever the component mounts, since the stored user may outlive the session cookie
 * (A04). Updates the stored user, or signs out when the session or the user no longer exists. Until the response
 * arrives the page shows the stored user; the server enforces permissions in any case.
 * @returns whether the server has answered, and whether the user is a moderator.
 */
export const useSessionCheck = (
  userId: number | undefined,
  { everyMs }: SessionCheckOptions = {},
): { isChecked: boolean; isModerator: boolean } => {
  const { data, error } = useQuery({
    queryKey: [`/api/user/${userId}`],
    // Applies the response itself: an effect would run later, and could overwrite a pushed change.
    queryFn: async (context) => {
      const userAtRequest = currentUser();
      const response = await loadSessionUser(context);
      const userNow = currentUser();
      if (!userNow || userNow.id !== userAtRequest?.id) return null;
      if (response === null) {
        signOut();
        return null;
      }
      // Fields changed by a push or a save in the meantime are newer than the response.
      const user = { ...parseUserResponse(response), ...selectChangedFields(userAtRequest, userNow) };
      signIn(user);
      return user;
    },
    enabled: userId !== undefined,
    refetchOnMount: 'always',
    refetchInterval: everyMs ?? false,
    refetchIntervalInBackground: true,
    gcTime: 0,
  });
  return { isChecked: data !== undefined || error !== null, isModerator: data?.isModerator ?? false };
};
