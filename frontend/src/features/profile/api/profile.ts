import { type UpdateProfile } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';
import { toUser } from '@/product/user-answer';

/** Saves the profile and asks for it again (§7). Once it is saved, a failed refresh takes nothing back. */
export const saveProfile = async (userId: number, profile: UpdateProfile): Promise<SelfUser> => {
  const url = `/api/user/${userId}`;
  const saved = toUser(await request('PUT', url, profile));
  try {
    return toUser(await request('GET', url));
  } catch (error) {
    console.warn('The profile was saved, but not read again', error);
    return saved;
  }
};
