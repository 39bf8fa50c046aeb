import { type ReactNode } from 'react';
import { Button } from '@/ui/button';

export interface ConfirmationFormProps {
  /** What is shown above the buttons. */
  children: ReactNode;
  copy: { submit: string; pending: string; cancel: string };
  isDestructive?: boolean;
  /** Whether the user has entered what is needed. */
  isReady: boolean;
  isPending: boolean;
  /** Called only while the form is ready and not pending. */
  onSubmit: () => void;
  onDismiss: () => void;
}

/** The form of the dialogs in which the user confirms the download or the deletion of their data. */
export const ConfirmationForm = ({
  children,
  copy,
  isDestructive = false,
  isReady,
  isPending,
  onSubmit,
  onDismiss,
}: ConfirmationFormProps) => (
  <form
    noValidate
    className="mt-3 grid gap-4"
    onSubmit={(event) => {
      event.preventDefault();
      if (isReady && !isPending) onSubmit();
    }}
  >
    {children}
    <div className="mt-2 flex flex-wrap gap-3">
      <Button
        type="submit"
        {...(isDestructive ? { variant: 'destructive' } : {})}
        disabled={!isReady || isPending}
      >
        {isPending ? copy.pending : copy.submit}
      </Button>
      <Button variant="ghost" disabled={isPending} onClick={onDismiss}>
        {copy.cancel}
      </Button>
    </div>
  </form>
);
