import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';

/**
 * Starts an anonymous session. Loads the response schemas during the request, so that the landing page need not contain
 * them.
 */
export const startAnonymously = async (): Promise<SelfUser> => {
  const [response, { parseUserResponse }] = await Promise.all([
    request('POST', '/api/anonymous', {}),
    import('@/product/user-response'),
  ]);
  return parseUserResponse(response);
};
