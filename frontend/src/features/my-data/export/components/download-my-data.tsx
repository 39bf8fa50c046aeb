import { type SelfUser } from '@thaw/contract/users';
import { ChevronRight, Download } from 'lucide-react';
import { useState } from 'react';
import { ConfirmationForm } from '@/features/my-data/components/confirmation-form';
import { OwnPasswordField } from '@/features/my-data/components/own-password-field';
import { RowButton } from '@/features/my-data/components/row-button';
import { copy } from '@/features/my-data/export/copy';
import { startDownload } from '@/features/my-data/export/start-download';
import { Modal } from '@/ui/modal';
import { toast } from '@/ui/toast-store';
import { useForm } from '@/ui/use-form';

interface PasswordDialogProps {
  user: SelfUser;
  onDismiss: () => void;
}

const PasswordDialog = ({ user, onDismiss }: PasswordDialogProps) => {
  const { values, field } = useForm({ password: '' });
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { password } = values;
  const submit = async (): Promise<void> => {
    setPending(true);
    setFailure(undefined);
    const failureMessage = await startDownload(user.id, password);
    if (failureMessage === null) return onDismiss();
    setFailure(failureMessage);
    setPending(false);
  };
  return (
    <Modal isOpen title={copy.title} description={copy.lead} onDismiss={onDismiss} isLocked={isPending}>
      <ConfirmationForm
        copy={copy}
        isReady={password !== ''}
        isPending={isPending}
        onSubmit={() => void submit()}
        onDismiss={onDismiss}
      >
        <OwnPasswordField
          user={user}
          label={copy.password}
          error={failure}
          readOnly={isPending}
          {...field('password')}
        />
      </ConfirmationForm>
    </Modal>
  );
};

export interface DownloadMyDataProps {
  user: SelfUser;
  /** Whether the button is one of the rows of the settings. */
  isRow?: boolean;
}

/** The button that downloads the data of the user. Registered users enter their password in a dialog first. */
export const DownloadMyData = ({ user, isRow = false }: DownloadMyDataProps) => {
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const download = async (): Promise<void> => {
    if (isPending) return;
    setPending(true);
    const failureMessage = await startDownload(user.id);
    setPending(false);
    if (failureMessage !== null)
      toast({ title: copy.failedTitle, description: failureMessage, tone: 'destructive' });
  };
  return (
    <>
      <RowButton
        label={isPending ? copy.pending : copy.open}
        icon={user.isAnonymous ? Download : ChevronRight}
        isRow={isRow}
        aria-haspopup={user.isAnonymous ? undefined : 'dialog'}
        // Not `disabled`, which would take the focus from the button.
        aria-disabled={isPending}
        onClick={() => (user.isAnonymous ? void download() : setOpen(true))}
      />
      {isOpen ? <PasswordDialog user={user} onDismiss={() => setOpen(false)} /> : null}
    </>
  );
};
