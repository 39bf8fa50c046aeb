import { type SelfUser } from '@thaw/contract/users';
import { ChevronRight, Download } from 'lucide-react';
import { useState } from 'react';
import { copy } from '@/features/my-data/export/copy';
import { startDownload } from '@/features/my-data/export/start-download';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
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
    if (password === '' || isPending) return;
    setPending(true);
    setFailure(undefined);
    const reason = await startDownload(user.id, password);
    if (reason === null) return onDismiss();
    setFailure(reason);
    setPending(false);
  };
  return (
    <Modal isOpen title={copy.title} description={copy.lead} onDismiss={onDismiss} isLocked={isPending}>
      <form
        noValidate
        className="mt-3 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {/* Password managers read here which account the password belongs to. */}
        <input type="email" autoComplete="username" value={user.email ?? ''} readOnly hidden />
        <Field
          label={copy.password}
          type="password"
          autoComplete="current-password"
          error={failure}
          readOnly={isPending}
          {...field('password')}
        />
        <div className="mt-2 flex flex-wrap gap-3">
          <Button type="submit" disabled={password === '' || isPending}>
            {isPending ? copy.pending : copy.submit}
          </Button>
          <Button variant="ghost" disabled={isPending} onClick={onDismiss}>
            {copy.cancel}
          </Button>
        </div>
      </form>
    </Modal>
  );
};

export interface DownloadMyDataProps {
  user: SelfUser;
  /** As wide as its place, with an icon, among other such buttons. */
  isRow?: boolean;
}

/** The button that downloads what is stored about the user; registered users give their password first. */
export const DownloadMyData = ({ user, isRow = false }: DownloadMyDataProps) => {
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const download = async (): Promise<void> => {
    if (isPending) return;
    setPending(true);
    const reason = await startDownload(user.id);
    setPending(false);
    if (reason !== null) toast({ title: copy.notStarted, description: reason, tone: 'destructive' });
  };
  const label = isPending ? copy.pending : copy.open;
  const Icon = user.isAnonymous ? Download : ChevronRight;
  return (
    <>
      <Button
        variant="outline"
        aria-haspopup={user.isAnonymous ? undefined : 'dialog'}
        // The button keeps the focus while it is pending.
        aria-disabled={isPending}
        className={isRow ? 'w-full' : ''}
        onClick={() => (user.isAnonymous ? void download() : setOpen(true))}
      >
        {isRow ? <span className="flex-1 text-left">{label}</span> : label}
        {isRow ? <Icon aria-hidden="true" className="text-muted-foreground" /> : null}
      </Button>
      {isOpen ? <PasswordDialog user={user} onDismiss={() => setOpen(false)} /> : null}
    </>
  );
};
