import { profileSchema } from '@thaw/contract/users';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { request } from '@/lib/api-client';

export const profileKey = (userId: number) => [`/api/user/${userId}`, 'profile'] as const;

/** Name and picture of a user, as far as the signed-in user may see them (A12). */
export const profileQuery = (userId: number) =>
  queryOptions({
    queryKey: profileKey(userId),
    queryFn: async ({ queryKey }) => profileSchema.parse(await request('GET', queryKey[0])),
  });

export interface SeenProfile {
  /** Undefined while loading. */
  username: string | undefined;
  avatar: string | null;
  /** The profile does not exist, or is not visible to the signed-in user. */
  isUnknown: boolean;
}

/** The profile, with a placeholder for an unavailable name (A66). */
export const useProfile = (
  userId: number,
  placeholder: string,
  { isWanted = true }: { isWanted?: boolean } = {},
): SeenProfile => {
  const { data, isError } = useQuery({ ...profileQuery(userId), enabled: isWanted });
  return {
    username: data?.username ?? (isError ? placeholder : undefined),
    avatar: data?.avatar ?? null,
    isUnknown: isError && !data,
  };
};
