import { ERASURE_CONFIRMATION, type RequestErasure } from '@thaw/contract/my-data';
import { type SelfUser } from '@thaw/contract/users';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { copy } from '@/features/my-data/deletion/copy';
import { deleteAccount } from '@/features/my-data/deletion/delete-account';
import { resetAccountDeletion, useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Modal } from '@/ui/modal';
import { useForm } from '@/ui/use-form';

interface DeletionFormProps {
  user: SelfUser;
  onDismiss: () => void;
}

const DeletionForm = ({ user, onDismiss }: DeletionFormProps) => {
  const { values, field } = useForm({ confirmation: '' });
  const isPending = useAccountDeletion((state) => state.isPending);
  const failure = useAccountDeletion((state) => state.failure);
  const { confirmation } = values;
  const isConfirmed = user.isAnonymous ? confirmation.trim() === ERASURE_CONFIRMATION : confirmation !== '';
  const submit = (): void => {
    if (!isConfirmed || isPending) return;
    const body: RequestErasure = user.isAnonymous
      ? { confirm: ERASURE_CONFIRMATION }
      : { currentPassword: confirmation };
    void deleteAccount(user.id, body);
  };
  return (
    <form
      noValidate
      className="mt-3 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="text-base text-muted-foreground">{copy.kept}</p>
      <p className="text-base text-muted-foreground">{copy.then}</p>
      {user.isAnonymous ? (
        <Field
          label={copy.confirm}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          error={failure ?? undefined}
          readOnly={isPending}
          {...field('confirmation')}
        />
      ) : (
        <>
          {/* Password managers read here which account the password belongs to. */}
          <input type="email" autoComplete="username" value={user.email ?? ''} readOnly hidden />
          <Field
            label={copy.password}
            type="password"
            autoComplete="current-password"
            error={failure ?? undefined}
            readOnly={isPending}
            {...field('confirmation')}
          />
        </>
      )}
      <div className="mt-2 flex flex-wrap gap-3">
        <Button type="submit" variant="destructive" disabled={!isConfirmed || isPending}>
          {isPending ? copy.pending : copy.submit}
        </Button>
        <Button variant="ghost" disabled={isPending} onClick={onDismiss}>
          {copy.cancel}
        </Button>
      </div>
    </form>
  );
};

export interface DeleteAccountProps {
  user: SelfUser;
  /** As wide as its place, with an arrow, among other such buttons. */
  isRow?: boolean;
}

/** The button that opens the dialog in which the user deletes their account. */
export const DeleteAccount = ({ user, isRow = false }: DeleteAccountProps) => {
  const [isOpen, setOpen] = useState(false);
  const isPending = useAccountDeletion((state) => state.isPending);
  const open = (): void => {
    resetAccountDeletion();
    setOpen(true);
  };
  const dismiss = (): void => setOpen(false);
  return (
    <>
      <Button variant="outline" aria-haspopup="dialog" className={isRow ? 'w-full' : ''} onClick={open}>
        {isRow ? <span className="flex-1 text-left">{copy.open}</span> : copy.open}
        {isRow ? <ChevronRight aria-hidden="true" className="text-muted-foreground" /> : null}
      </Button>
      {isOpen ? (
        <Modal isOpen title={copy.title} description={copy.lead} onDismiss={dismiss} isLocked={isPending}>
          <DeletionForm user={user} onDismiss={dismiss} />
        </Modal>
      ) : null}
    </>
  );
};
