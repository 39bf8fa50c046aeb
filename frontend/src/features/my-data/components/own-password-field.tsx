import { type SelfUser } from '@thaw/contract/users';
import { Field, type FieldProps } from '@/ui/field';

export interface OwnPasswordFieldProps extends FieldProps {
  user: SelfUser;
}

/** Asks for the user's current password. */
export const OwnPasswordField = ({ user, ...field }: OwnPasswordFieldProps) => (
  <>
    {/* Password managers read here which account the password belongs to. */}
    <input type="email" autoComplete="username" value={user.email ?? ''} readOnly hidden />
    <Field type="password" autoComplete="current-password" {...field} />
  </>
);
