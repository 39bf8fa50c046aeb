import { type SetGender } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { ApiError, request } from '@/lib/api-client';
import { parseUserResponse } from '@/product/user-response';

/** Saves the gender. If it was already chosen on another device (409), returns the user as stored. */
export const setGender = async (userId: number, body: SetGender): Promise<SelfUser> => {
  const url = `/api/user/${userId}`;
  try {
    return parseUserResponse(await request('PATCH', url, body));
  } catch (error) {
    if (error instanceof ApiError && error.status === 409)
      return parseUserResponse(await request('GET', url));
    throw error;
  }
};
