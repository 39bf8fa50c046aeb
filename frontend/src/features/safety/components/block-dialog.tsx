import { copy } from '@/features/safety/copy';
import { useBlock } from '@/features/safety/hooks/use-block';
import { closeBlockDialog, type Person } from '@/features/safety/stores/block-dialog.store';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

export interface BlockDialogProps {
  /** The user who blocks the person. */
  userId: number;
  person: Person;
  /** Whether the user is in a random chat with the person, which a block would end. */
  endsChat: boolean;
  /** Whether the person is a friend of the user: a block would end the friendship. */
  endsFriendship: boolean;
}

/** Asks the user to confirm the block of a person, and says what it would end. */
export const BlockDialog = ({ userId, person, endsChat, endsFriendship }: BlockDialogProps) => {
  const { isPending, confirm } = useBlock(userId, person);
  const lines = [
    copy.block.lead(person.username),
    ...(endsChat ? [copy.block.endsChat] : []),
    ...(endsFriendship ? [copy.block.endsFriendship] : []),
  ];
  return (
    <Modal
      isOpen
      title={copy.block.title(person.username)}
      description={lines.join(' ')}
      onDismiss={closeBlockDialog}
      isLocked={isPending}
    >
      <div className="mt-6 flex flex-wrap gap-3">
        <Button variant="destructive" disabled={isPending} onClick={confirm}>
          {isPending ? copy.block.pending : copy.block.confirm}
        </Button>
        <Button variant="ghost" disabled={isPending} onClick={closeBlockDialog}>
          {copy.block.cancel}
        </Button>
      </div>
    </Modal>
  );
};
