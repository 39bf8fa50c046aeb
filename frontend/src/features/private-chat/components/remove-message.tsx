import { copy } from '@/features/private-chat/copy';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

export interface RemoveMessageProps {
  friendName: string;
  onConfirm: () => void;
  onDismiss: () => void;
}

/** Asked before a message is deleted for both, for it does not come back. */
export const RemoveMessage = ({ friendName, onConfirm, onDismiss }: RemoveMessageProps) => (
  <Modal isOpen title={copy.remove.title} description={copy.remove.lead(friendName)} onDismiss={onDismiss}>
    <div className="mt-6 flex flex-wrap justify-end gap-2">
      <Button variant="ghost" onClick={onDismiss}>
        {copy.remove.cancel}
      </Button>
      <Button variant="destructive" onClick={onConfirm}>
        {copy.remove.confirm}
      </Button>
    </div>
  </Modal>
);
