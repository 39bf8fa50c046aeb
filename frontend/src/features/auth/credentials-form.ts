import { limits } from '@thaw/contract/limits';
import * as z from 'zod/mini';
import { copy } from '@/features/auth/copy';

const email = z.email(copy.errors.email).check(z.maxLength(limits.emailMaxLength, copy.errors.email));
const password = z
  .string()
  .check(
    z.minLength(limits.passwordMinLength, copy.errors.passwordTooShort),
    z.maxLength(limits.passwordMaxLength, copy.errors.passwordTooLong),
  );

export type CredentialsField = 'email' | 'password' | 'confirmPassword';
export type CredentialsForm = Record<CredentialsField, string>;
export type CredentialsErrors = Partial<CredentialsForm>;

// The login form does not show the confirmation, so any value is valid.
const loginFormSchema = z.object({ email, password, confirmPassword: z.string() });

const registerFormSchema = z.object({ email, password, confirmPassword: z.string() }).check(
  z.refine((form) => form.confirmPassword === form.password, {
    error: copy.errors.passwordsDiffer,
    path: ['confirmPassword'],
    // By default a refinement runs only when the fields are valid; this error is shown together with theirs.
    when: () => true,
  }),
);

/** Returns the first error of each invalid field. */
export const validateCredentials = (mode: 'login' | 'register', form: CredentialsForm): CredentialsErrors => {
  const { error } = (mode === 'login' ? loginFormSchema : registerFormSchema).safeParse(form);
  const errors: CredentialsErrors = {};
  for (const { path, message } of error?.issues ?? []) errors[path[0] as CredentialsField] ??= message;
  return errors;
};
