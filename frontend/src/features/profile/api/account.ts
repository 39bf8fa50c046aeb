import { type ChangeEmail, type ChangePassword, type ConvertAnonymous } from '@thaw/contract/http';
import { type SelfUser } from '@thaw/contract/users';
import { ApiError, request } from '@/lib/api-client';
import { parseUserResponse } from '@/product/user-response';

export const changeEmail = async (userId: number, body: ChangeEmail): Promise<SelfUser> =>
  parseUserResponse(await request('PUT', `/api/user/${userId}/email`, body));

export const changePassword = async (userId: number, body: ChangePassword): Promise<void> => {
  await request('PUT', `/api/user/${userId}/password`, body);
};

/** Turns the anonymous user into one with an account; the id stays the same. */
export const convertAnonymous = async (body: ConvertAnonymous): Promise<SelfUser> =>
  parseUserResponse(await request('POST', '/api/convert-anonymous', body));

/** Builds the toast for a failed request, with the server's message if it sent one. */
export const createFailureToast = (
  error: unknown,
  fallback: { title: string; description: string },
): { title: string; description: string; tone: 'destructive' } => ({
  title: fallback.title,
  description: (error instanceof ApiError && error.serverMessage) || fallback.description,
  tone: 'destructive',
});
