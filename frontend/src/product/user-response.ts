import { selfUserSchema, type SelfUser } from '@thaw/contract/users';
import * as z from 'zod/mini';

const responseSchema = z.union([z.object({ user: selfUserSchema }), selfUserSchema]);

/**
 * Parses the user from a response of the form `{user}`, or a bare user.
 * @throws ZodError on anything else
 */
export const parseUserResponse = (response: unknown): SelfUser => {
  const parsed = responseSchema.parse(response);
  return 'user' in parsed ? parsed.user : parsed;
};
