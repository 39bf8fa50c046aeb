import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';

/** Starts an anonymous session. Loads the response schemas during the request, to keep them out of the landing page. */
export const startAnonymously = async (): Promise<SelfUser> => {
  const [response, { parseUserResponse }] = await Promise.all([
    request('POST', '/api/anonymous', {}),
    import('@/product/user-response'),
  ]);
  return parseUserResponse(response);
};
