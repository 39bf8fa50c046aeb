import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';

/** Loads the schemas while the server answers, so that the landing page does not carry them. */
export const startAnonymously = async (): Promise<SelfUser> => {
  const [answer, { parseUserResponse }] = await Promise.all([
    request('POST', '/api/anonymous', {}),
    import('@/product/user-response'),
  ]);
  return parseUserResponse(answer);
};
