import { type SelfUser } from '@thaw/contract/users';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@/lib/api-client';
import { createQueryFunction } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { parseUserResponse } from '@/product/user-response';

const fetchUser = createQueryFunction({ on401: 'returnNull' });

/** Fetches the user; resolves to null when the session is over (401) or the user no longer exists (404). */
const fetchSessionUser = async (context: Parameters<typeof fetchUser>[0]): Promise<unknown> => {
  try {
    return await fetchUser(context);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
};

/**
 * Returns the fields in which two states of the same user differ, with the values of the later state. Objects are
 * compared by content: after another tab has stored the user, this tab has new objects, although most are equal.
 */
const selectChangedFields = (before: SelfUser, after: SelfUser): Partial<SelfUser> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof SelfUser]),
    ),
  );

/**
 * Replaces the stored user with the server's, or signs out if the server has none.
 * @returns the user who is stored now; null after signing out, or if the response was ignored
 */
const refreshStoredUser = async (context: Parameters<typeof fetchUser>[0]): Promise<SelfUser | null> => {
  const userBefore = currentUser();
  const response = await fetchSessionUser(context);
  const userAfter = currentUser();
  // `userBefore` has signed out during the request, and perhaps another user has signed in: ignore the response.
  if (!userAfter || userAfter.id !== userBefore?.id) return null;
  if (response === null) {
    signOut();
    return null;
  }
  // Fields that a push or a save has changed during the request replace those of the response, which may be older.
  const user = { ...parseUserResponse(response), ...selectChangedFields(userBefore, userAfter) };
  signIn(user); // only replaces the stored user, who is signed in already
  return user;
};

interface SessionCheckOptions {
  /** Interval at which the user is refetched; by default only on mount. */
  intervalMs?: number | undefined;
}

/**
 * Fetches the user from the server whenever the component mounts, since the stored user may outlive the session cookie.
 * Updates the stored user, or signs out when the session or the user no longer exists. Until the response arrives, the
 * page shows the stored user; the server enforces permissions in any case.
 * @param userId id of the stored user; undefined when signed out, then nothing is fetched.
 * @returns `isChecked`: the request has succeeded or failed; `isModerator`: the server says that the user is a
 * moderator.
 */
export const useSessionCheck = (
  userId: number | undefined,
  { intervalMs }: SessionCheckOptions = {},
): { isChecked: boolean; isModerator: boolean } => {
  const { data, error } = useQuery({
    queryKey: [`/api/user/${userId}`],
    // Also stores the user. An effect that stored `data` would run later, and could overwrite a change that the server
    // pushes after the response.
    queryFn: refreshStoredUser,
    enabled: userId !== undefined,
    refetchOnMount: 'always',
    refetchInterval: intervalMs ?? false,
    refetchIntervalInBackground: true,
    // Not cached, so that `isChecked` is false until the request of this mount is answered.
    gcTime: 0,
  });
  const isChecked = data !== undefined || error !== null; // `data` may be null
  return { isChecked, isModerator: data?.isModerator ?? false };
};
