import { type Credentials } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';
import { toUser } from '@/product/user-answer';

export const login = async (credentials: Credentials): Promise<SelfUser> =>
  toUser(await request('POST', '/api/login', credentials));

export const register = async (credentials: Credentials): Promise<SelfUser> =>
  toUser(await request('POST', '/api/register', credentials));

const logoutTimeoutMs = 4_000;

/**
 * The caller is signed out whatever the answer (A03). Awaited nevertheless, for a short time: an answer that came after
 * the next login would clear its cookie.
 */
export const logout = async (): Promise<void> => {
  await request('POST', '/api/logout', undefined, logoutTimeoutMs);
};
