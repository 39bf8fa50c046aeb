import { type SelfUser } from '@thaw/contract/users';
import { request } from '@/lib/api-client';

/** The landing page carries no schemas: they are loaded while the server answers. */
export const startAnonymously = async (): Promise<SelfUser> => {
  const [answer, { toUser }] = await Promise.all([
    request('POST', '/api/anonymous', {}),
    import('@/product/user-answer'),
  ]);
  return toUser(answer);
};
