import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';

/** Loads the schemas while the server answers, so that the landing page does not carry them. */
export const startAnonymously = async (): Promise<SelfUser> => {
  const [answer, { toUser }] = await Promise.all([
    request('POST', '/api/anonymous', {}),
    import('@/product/user-answer'),
  ]);
  return toUser(answer);
};
