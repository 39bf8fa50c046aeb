import { limits } from '@thaw/contract/limits';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { TextField } from '@/features/moderation/components/form-fields';
import { copy } from '@/features/moderation/copy';
import { countCharacters } from '@/features/moderation/decision/case-draft';
import { explainFailure } from '@/features/moderation/failure';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

export interface ReasonDialogProps {
  /** `field` is the label of the text field for the reason. Without it the dialog only asks for confirmation. */
  texts: { title: string; lead: string; field?: string; confirm: string };
  /** Sends the request. If it fails, the dialog stays open and shows why. */
  send: (reason: string) => Promise<unknown>;
  /** Called when `send` has succeeded; has to close the dialog. */
  onDone: () => void;
  onDismiss: () => void;
}

/** Asks a moderator to give a reason for an action, such as the escalation of a case, or to confirm it. */
export const ReasonDialog = ({ texts, send, onDone, onDismiss }: ReasonDialogProps) => {
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useMutation({ mutationFn: send, onSuccess: onDone });
  const length = countCharacters(reason); // without blanks at either end
  const isValid = texts.field === undefined || (length > 0 && length <= limits.moderationNoteMaxCodePoints);
  return (
    <Modal isOpen title={texts.title} description={texts.lead} onDismiss={onDismiss} isLocked={isPending}>
      <form
        // `Modal` asks before it discards unsaved input.
        data-unsaved={reason !== ''}
        className="mt-4 grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid && !isPending) mutate(reason.trim());
        }}
      >
        {texts.field === undefined ? null : (
          <TextField
            label={texts.field}
            value={reason}
            rows={4}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
        {error ? (
          <p role="alert" className="text-base text-destructive">
            {explainFailure(error)}
          </p>
        ) : null}
        <div className="flex flex-wrap gap-3">
          <Button type="submit" disabled={!isValid || isPending}>
            {isPending ? copy.dialogs.pending : texts.confirm}
          </Button>
          <Button variant="ghost" disabled={isPending} onClick={onDismiss}>
            {copy.dialogs.cancel}
          </Button>
        </div>
      </form>
    </Modal>
  );
};
