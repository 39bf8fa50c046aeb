import { type Credentials } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';
import { parseUserResponse } from '@/product/user-response';

export const login = async (credentials: Credentials): Promise<SelfUser> =>
  parseUserResponse(await request('POST', '/api/login', credentials));

export const register = async (credentials: Credentials): Promise<SelfUser> =>
  parseUserResponse(await request('POST', '/api/register', credentials));

const logoutTimeoutMs = 4_000;

/**
 * Ends the session on the server. The page signs the user out whatever the outcome (docs/product-decisions.md, A03).
 * The response clears the session cookie. If it arrived after the next login, it would clear the new cookie. The page
 * therefore waits for it, and aborts the request after `logoutTimeoutMs`.
 */
export const logout = async (): Promise<void> => {
  await request('POST', '/api/logout', undefined, logoutTimeoutMs);
};
