import { useMutation } from '@tanstack/react-query';
import { limits } from '@thaw/contract/limits';
import { countCodePoints } from '@thaw/contract/text';
import { type SelfUser } from '@thaw/contract/users';
import { changePassword, createFailureToast } from '@/features/profile/api/account';
import { copy } from '@/features/profile/forms/copy';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { toast } from '@/ui/toast-store';
import { useForm } from '@/ui/use-form';

const words = copy.password;
const emptyForm = { currentPassword: '', newPassword: '', confirmPassword: '' };

/** Returns the toast to show instead of sending the form, for the first problem found; null when there is none. */
export const findProblem = ({ currentPassword, newPassword, confirmPassword }: typeof emptyForm) => {
  if (!currentPassword || !newPassword || !confirmPassword) return words.requiredFields;
  if (newPassword !== confirmPassword) return words.doNotMatch;
  if (countCodePoints(newPassword) < limits.passwordMinLength) return words.tooShort;
  return null;
};

export const PasswordForm = ({ user }: { user: SelfUser }) => {
  const { values, isUnsaved, field, reset } = useForm(emptyForm);
  const problem = findProblem(values);
  const passwordChange = useMutation({
    mutationFn: () =>
      changePassword(user.id, { currentPassword: values.currentPassword, newPassword: values.newPassword }),
    onSuccess: () => {
      reset();
      toast(words.changed);
    },
    onError: (error) => toast(createFailureToast(error, words.failed)),
  });

  const submit = (): void => {
    // The button is disabled while there is a problem, but a submit need not come from the button.
    if (problem) toast({ ...problem, tone: 'destructive' });
    else if (!passwordChange.isPending) passwordChange.mutate();
  };

  return (
    <form
      noValidate
      className="grid gap-4"
      data-unsaved={isUnsaved}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="text-base text-muted-foreground">{words.lead}</p>
      {/* Password managers read from this field which account the password belongs to. */}
      <input type="email" autoComplete="username" value={user.email ?? ''} readOnly hidden />
      <Field
        label={words.currentPassword}
        type="password"
        autoComplete="current-password"
        {...field('currentPassword')}
      />
      <Field
        label={words.newPassword}
        type="password"
        autoComplete="new-password"
        hint={words.newPasswordHint}
        {...field('newPassword')}
      />
      <Field
        label={words.confirmPassword}
        type="password"
        autoComplete="new-password"
        error={
          values.confirmPassword && values.newPassword !== values.confirmPassword
            ? words.confirmPasswordError
            : undefined
        }
        {...field('confirmPassword')}
      />
      <Button
        type="submit"
        size="lg"
        className="mt-2"
        disabled={problem !== null || passwordChange.isPending}
      >
        {passwordChange.isPending ? words.pending : words.submit}
      </Button>
    </form>
  );
};
