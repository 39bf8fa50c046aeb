import { copy } from '@/features/safety/copy';
import { useBlock } from '@/features/safety/hooks/use-block';
import { closeBlockDialog, type Person } from '@/features/safety/stores/block-dialog.store';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

export interface BlockDialogProps {
  userId: number;
  person: Person;
  /** The user is in a random chat with the person, and a block ends the chat. */
  endsChat: boolean;
  /** The person is a friend of the user, and a block ends the friendship. */
  endsFriendship: boolean;
}

/** Asks before a person is blocked, and says what the block would end. */
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
