import { profileSchema } from '@thaw/contract/users';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { request } from '@/lib/api-client';

export const profileKey = (userId: number) => [`/api/user/${userId}`, 'profile'] as const;

/** Query of the name and picture of a user, if visible to the signed-in user (A12). */
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

/** Returns the profile, with `placeholder` as the name when it is unavailable (A66). */
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
