import { selfUserSchema, type SelfUser } from '@thaw/contract/users';
import * as z from 'zod/mini';

const answerSchema = z.union([z.object({ user: selfUserSchema }), selfUserSchema]);

/** Parses the user from `{user}` or a bare user (A11). Throws on anything else. */
export const toUser = (answer: unknown): SelfUser => {
  const parsed = answerSchema.parse(answer);
  return 'user' in parsed ? parsed.user : parsed;
};
