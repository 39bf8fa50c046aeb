import { type SetGender } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { ApiError, request } from '@/lib/api-client';
import { toUser } from '@/product/user-answer';

/** Saves the gender. If it was already chosen on another device (409), returns the user as stored. */
export const setGender = async (userId: number, body: SetGender): Promise<SelfUser> => {
  const url = `/api/user/${userId}`;
  try {
    return toUser(await request('PATCH', url, body));
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return toUser(await request('GET', url));
    throw error;
  }
};
