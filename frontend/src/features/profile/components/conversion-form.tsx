import { useMutation } from '@tanstack/react-query';
import { limits } from '@thaw/contract/limits';
import { countCodePoints } from '@thaw/contract/text';
import { type SelfUser } from '@thaw/contract/users';
import { convertAnonymous, createFailureToast } from '@/features/profile/api/account';
import { copy } from '@/features/profile/forms/copy';
import { isEmail } from '@/features/profile/is-email';
import { mergeIntoUser } from '@/product/identity';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { toast } from '@/ui/toast-store';
import { useForm } from '@/ui/use-form';

const words = copy.conversion;
const emptyForm = { email: '', password: '', confirmPassword: '' };

/** Returns the toast to show instead of sending the form, for the first problem found; null when there is none. */
export const findProblem = ({ email, password, confirmPassword }: typeof emptyForm) => {
  if (!email.trim() || !password || !confirmPassword) return words.requiredFields;
  if (password !== confirmPassword) return words.doNotMatch;
  if (countCodePoints(password) < limits.passwordMinLength) return words.tooShort;
  return null;
};

export interface ConversionFormProps {
  user: SelfUser;
  /** Called when the request starts and ends; in between, the dialog that shows the form must stay open. */
  onPendingChange: (isPending: boolean) => void;
  onConverted: () => void;
}

/** The form that turns an anonymous user into a registered one. */
export const ConversionForm = ({ user, onPendingChange, onConverted }: ConversionFormProps) => {
  const { values, isUnsaved, field } = useForm(emptyForm);
  const email = values.email.trim();
  const conversion = useMutation({
    mutationFn: () => convertAnonymous({ userId: user.id, email, password: values.password }),
    onMutate: () => onPendingChange(true),
    onSettled: () => onPendingChange(false),
    onSuccess: (converted) => {
      mergeIntoUser(converted);
      toast(words.converted);
      onConverted();
    },
    onError: (error) => toast(createFailureToast(error, words.failed)),
  });
  // The server refuses an invalid address, so the error at the field appears only after a failed request.
  const isEmailRefused = conversion.isError && !isEmail(email);

  const submit = (): void => {
    const problem = findProblem(values);
    if (problem) toast({ ...problem, tone: 'destructive' });
    else if (!conversion.isPending) conversion.mutate();
  };

  return (
    <form
      noValidate
      className="mt-6 grid gap-4"
      data-unsaved={isUnsaved}
      // The next edit resets the failed request, which hides the error at the email field.
      onChange={() => {
        if (conversion.isError) conversion.reset();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field
        label={words.email}
        type="email"
        autoComplete="email"
        inputMode="email"
        spellCheck={false}
        error={isEmailRefused ? words.invalidEmail : undefined}
        {...field('email')}
      />
      <Field
        label={words.password}
        type="password"
        autoComplete="new-password"
        hint={words.passwordHint}
        {...field('password')}
      />
      <Field
        label={words.confirmPassword}
        type="password"
        autoComplete="new-password"
        {...field('confirmPassword')}
      />
      <Button type="submit" size="lg" className="mt-2" disabled={conversion.isPending}>
        {conversion.isPending ? words.pending : words.submit}
      </Button>
    </form>
  );
};
