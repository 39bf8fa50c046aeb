import { type Credentials } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';
import { toUser } from '@/lib/user-answer';

export const login = async (credentials: Credentials): Promise<SelfUser> =>
  toUser(await request('POST', '/api/login', credentials));

export const register = async (credentials: Credentials): Promise<SelfUser> =>
  toUser(await request('POST', '/api/register', credentials));

/** The caller is signed out whatever the answer (A03). */
export const logout = async (): Promise<void> => {
  await request('POST', '/api/logout');
};
