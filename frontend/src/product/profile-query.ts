import { profileSchema } from '@thaw/contract/users';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { request } from '@/lib/api-client';

export const profileKey = (userId: number) => [`/api/user/${userId}`, 'profile'] as const;

/** Query of the name and picture of a user. The server returns 404 if the signed-in user may not see them. */
export const profileQuery = (userId: number) =>
  queryOptions({
    queryKey: profileKey(userId),
    queryFn: async ({ queryKey: [path] }) => profileSchema.parse(await request('GET', path)),
  });

export interface ShownProfile {
  /** Undefined while loading. */
  username: string | undefined;
  avatar: string | null;
  /** No request has succeeded, usually because the profile does not exist or is not visible to the signed-in user. */
  isUnknown: boolean;
}

/**
 * Returns the profile of a user, with `placeholder` as the name of an unknown profile.
 * @param options.isWanted while false, the profile is not requested
 */
export const useProfile = (
  userId: number,
  placeholder: string,
  { isWanted = true }: { isWanted?: boolean } = {},
): ShownProfile => {
  const { data, isError } = useQuery({ ...profileQuery(userId), enabled: isWanted });
  return {
    username: data?.username ?? (isError ? placeholder : undefined),
    avatar: data?.avatar ?? null,
    isUnknown: isError && !data,
  };
};
