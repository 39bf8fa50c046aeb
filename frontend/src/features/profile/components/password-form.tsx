import { useMutation } from '@tanstack/react-query';
import { limits } from '@thaw/contract/limits';
import { codePointLength } from '@thaw/contract/text';
import { type SelfUser } from '@thaw/contract/users';
import { useState } from 'react';
import { changePassword, toldByServer } from '@/features/profile/api/account';
import { copy } from '@/features/profile/copy';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { toast } from '@/ui/toast-store';

const words = copy.password;
const empty = { currentPassword: '', newPassword: '', confirmPassword: '' };

/** What stands in the way of a change, in the order in which it is told; null when nothing does. */
export const problemOf = ({ currentPassword, newPassword, confirmPassword }: typeof empty) => {
  if (!currentPassword || !newPassword || !confirmPassword) return words.requiredFields;
  if (newPassword !== confirmPassword) return words.doNotMatch;
  if (codePointLength(newPassword) < limits.passwordMinLength) return words.tooShort;
  return null;
};

export const PasswordForm = ({ user }: { user: SelfUser }) => {
  const [form, setForm] = useState(empty);
  const problem = problemOf(form);
  const changing = useMutation({
    mutationFn: () =>
      changePassword(user.id, { currentPassword: form.currentPassword, newPassword: form.newPassword }),
    onSuccess: () => {
      setForm(empty);
      toast(words.changed);
    },
    onError: (error) => toast(toldByServer(error, words.failed)),
  });

  const submit = (): void => {
    // The button is disabled in exactly these cases; Enter in a field does not ask the button.
    if (problem) toast({ ...problem, tone: 'destructive' });
    else if (!changing.isPending) changing.mutate();
  };

  const field = (name: keyof typeof empty) => ({
    type: 'password',
    value: form[name],
    onChange: ({ target }: { target: { value: string } }) =>
      setForm((present) => ({ ...present, [name]: target.value })),
  });

  return (
    <form
      noValidate
      className="grid gap-4"
      data-unsaved={Object.values(form).some((value) => value !== '')}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="text-base text-muted-foreground">{words.lead}</p>
      {/* For password managers: whose password it is. */}
      <input type="email" autoComplete="username" value={user.email ?? ''} readOnly hidden />
      <Field label={words.currentPassword} autoComplete="current-password" {...field('currentPassword')} />
      <Field
        label={words.newPassword}
        autoComplete="new-password"
        hint={words.newPasswordHint}
        {...field('newPassword')}
      />
      <Field
        label={words.confirmPassword}
        autoComplete="new-password"
        error={form.confirmPassword && form.newPassword !== form.confirmPassword ? words.differs : undefined}
        {...field('confirmPassword')}
      />
      <Button type="submit" size="lg" className="mt-2" disabled={problem !== null || changing.isPending}>
        {changing.isPending ? words.pending : words.submit}
      </Button>
    </form>
  );
};
