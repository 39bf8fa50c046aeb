import { ERASURE_CONFIRMATION, type RequestErasure } from '@thaw/contract/my-data';
import { type SelfUser } from '@thaw/contract/users';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { ConfirmationForm } from '@/features/my-data/components/confirmation-form';
import { OwnPasswordField } from '@/features/my-data/components/own-password-field';
import { RowButton } from '@/features/my-data/components/row-button';
import { copy } from '@/features/my-data/deletion/copy';
import { deleteAccount } from '@/features/my-data/deletion/delete-account';
import { resetAccountDeletion, useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { Field } from '@/ui/field';
import { Modal } from '@/ui/modal';
import { useForm } from '@/ui/use-form';

interface DeletionFormProps {
  user: SelfUser;
  onDismiss: () => void;
}

const DeletionForm = ({ user, onDismiss }: DeletionFormProps) => {
  // The word DELETE from an anonymous user, the password from a registered one.
  const { values, field } = useForm({ confirmation: '' });
  const isPending = useAccountDeletion((state) => state.isPending);
  const failure = useAccountDeletion((state) => state.failure);
  const { confirmation } = values;
  const isConfirmed = user.isAnonymous ? confirmation.trim() === ERASURE_CONFIRMATION : confirmation !== '';
  const submit = (): void => {
    const body: RequestErasure = user.isAnonymous
      ? { confirm: ERASURE_CONFIRMATION }
      : { currentPassword: confirmation };
    void deleteAccount(user.id, body);
  };
  return (
    <ConfirmationForm
      copy={copy}
      isDestructive
      isReady={isConfirmed}
      isPending={isPending}
      onSubmit={submit}
      onDismiss={onDismiss}
    >
      <p className="text-base text-muted-foreground">{copy.kept}</p>
      <p className="text-base text-muted-foreground">{copy.consequences}</p>
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
        <OwnPasswordField
          user={user}
          label={copy.password}
          error={failure ?? undefined}
          readOnly={isPending}
          {...field('confirmation')}
        />
      )}
    </ConfirmationForm>
  );
};

export interface DeleteAccountProps {
  user: SelfUser;
  /** Whether the button is one of the rows of the settings. */
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
      <RowButton label={copy.open} icon={ChevronRight} isRow={isRow} aria-haspopup="dialog" onClick={open} />
      {isOpen ? (
        <Modal isOpen title={copy.title} description={copy.lead} onDismiss={dismiss} isLocked={isPending}>
          <DeletionForm user={user} onDismiss={dismiss} />
        </Modal>
      ) : null}
    </>
  );
};
