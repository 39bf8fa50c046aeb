import * as z from 'zod/mini';
import { limits } from './limits.js';
import { genderSchema, idSchema, timestampSchema } from './scalars.js';
import { countCodePoints } from './text.js';
import { selfUserSchema } from './users.js';

const emailSchema = z.email().check(z.maxLength(limits.emailMaxLength));
/** A password of 6 to 128 code points. It is neither trimmed nor normalised. */
const passwordSchema = z.string().check(
  z.refine((password) => {
    const length = countCodePoints(password);
    const isInRange = length >= limits.passwordMinLength && length <= limits.passwordMaxLength;
    // UTF-8 encodes every lone surrogate as the same character, so different passwords would have equal hashes.
    return isInRange && password.isWellFormed();
  }),
);

/** Body of POST /api/login and POST /api/register. */
export const credentialsSchema = z.object({ email: emailSchema, password: passwordSchema });
export type Credentials = z.infer<typeof credentialsSchema>;

/** Body of POST /api/convert-anonymous, which turns an anonymous user into one with an account. */
export const convertAnonymousSchema = z.object({
  userId: idSchema,
  email: emailSchema,
  password: passwordSchema,
});
export type ConvertAnonymous = z.infer<typeof convertAnonymousSchema>;

/** Body of PUT /api/user/{id}. The server normalises and checks the name. */
export const updateProfileSchema = z.object({ username: z.string(), avatar: z.nullable(z.string()) });
export type UpdateProfile = z.infer<typeof updateProfileSchema>;

/** Body of PATCH /api/user/{id}. */
export const setGenderSchema = z.object({ gender: genderSchema });
export type SetGender = z.infer<typeof setGenderSchema>;

/**
 * Body of PUT /api/user/{id}/email. `currentPassword` may be any text: even one that is too short to be a password is
 * answered as a wrong password, not as an invalid body.
 */
export const changeEmailSchema = z.object({ newEmail: emailSchema, currentPassword: z.string() });
export type ChangeEmail = z.infer<typeof changeEmailSchema>;

/** Body of PUT /api/user/{id}/password. `currentPassword` may be any text, as in `changeEmailSchema`. */
export const changePasswordSchema = z.object({ currentPassword: z.string(), newPassword: passwordSchema });
export type ChangePassword = z.infer<typeof changePasswordSchema>;

/** Response body of every call that returns the signed-in user. */
export const userResponseSchema = z.object({ user: selfUserSchema });
export type UserResponse = z.infer<typeof userResponseSchema>;

/** One entry of the array that GET /api/chat-history/{userId} returns, newest first. */
export const chatHistoryEntrySchema = z.object({
  id: idSchema,
  user1Id: idSchema,
  user2Id: idSchema,
  createdAt: timestampSchema,
  /**
   * The end of the period in which the partner can be reported for this chat; null while the chat is open. Servers of
   * an earlier release do not send the field; it is then null, too.
   */
  reportableUntil: z._default(z.nullable(timestampSchema), null),
  /**
   * False if the chat ended because one of its users stated an age under 18: the two cannot send each other friend
   * requests then. Absent otherwise.
   */
  mayBecomeFriends: z.optional(z.boolean()),
});
export type ChatHistoryEntry = z.infer<typeof chatHistoryEntrySchema>;
