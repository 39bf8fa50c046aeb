import { useMutation } from '@tanstack/react-query';
import { type SelfUser } from '@thaw/contract/users';
import { useState } from 'react';
import { changeEmail, toldByServer } from '@/features/profile/api/account';
import { copy } from '@/features/profile/copy';
import { isEmail } from '@/features/profile/is-email';
import { mergeIntoUser } from '@/lib/identity';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { toast } from '@/ui/toast-store';

const words = copy.email;
const empty = { newEmail: '', currentPassword: '' };

export const EmailForm = ({ user }: { user: SelfUser }) => {
  const [form, setForm] = useState(empty);
  const newEmail = form.newEmail.trim();
  const changing = useMutation({
    mutationFn: () => changeEmail(user.id, { newEmail, currentPassword: form.currentPassword }),
    onSuccess: (changed) => {
      mergeIntoUser(changed);
      setForm(empty);
      toast(words.changed);
    },
    onError: (error) => toast(toldByServer(error, words.failed)),
  });

  const edit = (changes: Partial<typeof empty>): void => {
    setForm((present) => ({ ...present, ...changes }));
    changing.reset();
  };

  const submit = (): void => {
    if (newEmail === '' || form.currentPassword === '') {
      toast({ ...words.requiredFields, tone: 'destructive' });
    } else if (!changing.isPending) {
      changing.mutate();
    }
  };

  return (
    <form
      noValidate
      className="grid gap-4"
      data-unsaved={form.newEmail !== '' || form.currentPassword !== ''}
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
        value={form.newEmail}
        // The server said no; where that is why, it is said at the field, too.
        error={changing.isError && !isEmail(newEmail) ? words.invalid : undefined}
        onChange={(event) => edit({ newEmail: event.target.value })}
      />
      <Field
        label={words.currentPassword}
        type="password"
        autoComplete="current-password"
        value={form.currentPassword}
        onChange={(event) => edit({ currentPassword: event.target.value })}
      />
      <Button type="submit" size="lg" className="mt-2" disabled={changing.isPending}>
        {changing.isPending ? words.pending : words.submit}
      </Button>
    </form>
  );
};
