import * as z from 'zod/mini';
import { limits } from './limits.js';
import { genderSchema, idSchema, timestampSchema } from './scalars.js';
import { codePointLength } from './text.js';
import { selfUserSchema } from './users.js';

const emailSchema = z.email().check(z.maxLength(limits.emailMaxLength));
/** 6 to 128 code points, verified exactly as received. */
const passwordSchema = z.string().check(
  z.refine((password) => {
    const length = codePointLength(password);
    const fits = length >= limits.passwordMinLength && length <= limits.passwordMaxLength;
    // Hashed as UTF-8, every ill-formed character would become the same one.
    return fits && password.isWellFormed();
  }),
);

/** POST /api/login and POST /api/register. */
export const credentialsSchema = z.object({ email: emailSchema, password: passwordSchema });
export type Credentials = z.infer<typeof credentialsSchema>;

/** POST /api/convert-anonymous. */
export const convertAnonymousSchema = z.object({
  userId: idSchema,
  email: emailSchema,
  password: passwordSchema,
});
export type ConvertAnonymous = z.infer<typeof convertAnonymousSchema>;

/** PUT /api/user/{id}. */
export const updateProfileSchema = z.object({ username: z.string(), avatar: z.nullable(z.string()) });
export type UpdateProfile = z.infer<typeof updateProfileSchema>;

/** PATCH /api/user/{id}. */
export const setGenderSchema = z.object({ gender: genderSchema });
export type SetGender = z.infer<typeof setGenderSchema>;

/** PUT /api/user/{id}/email. */
export const changeEmailSchema = z.object({ newEmail: emailSchema, currentPassword: z.string() });
export type ChangeEmail = z.infer<typeof changeEmailSchema>;

/** PUT /api/user/{id}/password. */
export const changePasswordSchema = z.object({ currentPassword: z.string(), newPassword: passwordSchema });
export type ChangePassword = z.infer<typeof changePasswordSchema>;

/** Response body of every call that returns the signed-in user. */
export const userAnswerSchema = z.object({ user: selfUserSchema });
export type UserAnswer = z.infer<typeof userAnswerSchema>;

/** GET /api/chat-history/{userId}. */
export const chatHistoryEntrySchema = z.object({
  id: idSchema,
  user1Id: idSchema,
  user2Id: idSchema,
  createdAt: timestampSchema,
});
export type ChatHistoryEntry = z.infer<typeof chatHistoryEntrySchema>;
