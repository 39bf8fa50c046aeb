import { selfUserSchema, type SelfUser } from '@thaw/contract/users';
import * as z from 'zod/mini';

const answerSchema = z.union([z.object({ user: selfUserSchema }), selfUserSchema]);

/** My user out of `{user}` or out of the bare user (A11). Throws when it is neither. */
export const toUser = (answer: unknown): SelfUser => {
  const parsed = answerSchema.parse(answer);
  return 'user' in parsed ? parsed.user : parsed;
};
