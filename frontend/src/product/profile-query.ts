import { profileSchema } from '@thaw/contract/users';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { request } from '@/lib/api-client';

export const profileKey = (userId: number) => [`/api/user/${userId}`, 'profile'] as const;

/** Name and picture of a user, as far as this user may see them (A12). */
export const profileQuery = (userId: number) =>
  queryOptions({
    queryKey: profileKey(userId),
    queryFn: async ({ queryKey }) => profileSchema.parse(await request('GET', queryKey[0])),
  });

export interface SeenProfile {
  /** Undefined while it is asked for. */
  username: string | undefined;
  avatar: string | null;
  /** It cannot be had: gone, or not for me to see. */
  isUnknown: boolean;
}

/** The profile, or a placeholder for a name that cannot be had (A66). */
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
