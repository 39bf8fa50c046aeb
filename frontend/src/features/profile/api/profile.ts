import { type UpdateProfile } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';
import { parseUserResponse } from '@/product/user-response';

/**
 * Saves the profile and reads it again, as §7 of the product specification requires. If only the read fails, returns
 * the response to the save.
 */
export const saveProfile = async (userId: number, profile: UpdateProfile): Promise<SelfUser> => {
  const url = `/api/user/${userId}`;
  const saved = parseUserResponse(await request('PUT', url, profile));
  try {
    return parseUserResponse(await request('GET', url));
  } catch (error) {
    console.warn('The profile was saved, but not read again', error);
    return saved;
  }
};
