import { useMutation } from '@tanstack/react-query';
import { type SelfUser } from '@thaw/contract/users';
import { changeEmail, createFailureToast } from '@/features/profile/api/account';
import { copy } from '@/features/profile/forms/copy';
import { isEmail } from '@/features/profile/is-email';
import { mergeIntoUser } from '@/product/identity';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { toast } from '@/ui/toast-store';
import { useForm } from '@/ui/use-form';

const words = copy.email;
const emptyForm = { newEmail: '', currentPassword: '' };

export const EmailForm = ({ user }: { user: SelfUser }) => {
  const form = useForm(emptyForm);
  const newEmail = form.values.newEmail.trim();
  const emailChange = useMutation({
    mutationFn: () => changeEmail(user.id, { newEmail, currentPassword: form.values.currentPassword }),
    onSuccess: (changed) => {
      mergeIntoUser(changed);
      form.reset();
      toast(words.changed);
    },
    onError: (error) => toast(createFailureToast(error, words.failed)),
  });

  const isIncomplete = newEmail === '' || form.values.currentPassword === '';
  // The server refuses an invalid address, so the error at the field appears only after a failed request.
  const isEmailRefused = emailChange.isError && !isEmail(newEmail);

  const submit = (): void => {
    if (isIncomplete) toast({ ...words.requiredFields, tone: 'destructive' });
    else if (!emailChange.isPending) emailChange.mutate();
  };
  /** Hides the error at the email field until the next attempt. */
  const forgetFailure = (): void => {
    if (emailChange.isError) emailChange.reset();
  };

  return (
    <form
      noValidate
      className="grid gap-4"
      data-unsaved={form.isUnsaved}
      onChange={forgetFailure}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="text-base text-muted-foreground">
        {words.current} <span className="font-semibold break-all text-foreground">{user.email}</span>
      </p>
      <Field
        label={words.newEmail}
        type="email"
        autoComplete="email"
        inputMode="email"
        spellCheck={false}
        error={isEmailRefused ? words.invalid : undefined}
        {...form.field('newEmail')}
      />
      <Field
        label={words.currentPassword}
        type="password"
        autoComplete="current-password"
        {...form.field('currentPassword')}
      />
      <Button type="submit" size="lg" className="mt-2" disabled={emailChange.isPending}>
        {emailChange.isPending ? words.pending : words.submit}
      </Button>
    </form>
  );
};
