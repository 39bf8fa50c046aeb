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

export interface CredentialsForm {
  email: string;
  password: string;
  confirmPassword: string;
}

export const loginFormSchema = z.object({ email, password, confirmPassword: z.string() });

export const registerFormSchema = z.object({ email, password, confirmPassword: z.string() }).check(
  z.refine((form) => form.confirmPassword === form.password, {
    error: copy.errors.passwordsDiffer,
    path: ['confirmPassword'],
    // Told together with the other errors, not only once those are gone.
    when: () => true,
  }),
);
