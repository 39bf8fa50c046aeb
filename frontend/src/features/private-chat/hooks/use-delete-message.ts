import { useCallback, useEffect } from 'react';
import { copy } from '@/features/private-chat/copy';
import { messageChanges } from '@/features/private-chat/stores/message-changes';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { toast } from '@/ui/toast-store';

/**
 * Returns a function that deletes one of the user's messages after an undo period, with a toast that offers the undo.
 * Leaving the chat or the page ends the undo period and sends the deletion.
 */
export const useDeleteMessage = (friendId: number): ((messageId: string) => void) => {
  useEffect(() => {
    window.addEventListener('pagehide', messageChanges.sendDeletions);
    return () => {
      window.removeEventListener('pagehide', messageChanges.sendDeletions);
      messageChanges.sendDeletions();
    };
  }, []); // `friendId` never changes: the chat of each friend is mounted separately
  return useCallback(
    (messageId: string) => {
      const id = Number(messageId);
      // A deletion is refused only while the page is not connected. The outbox shows the notice above the composer.
      if (!messageChanges.deleteMessage(friendId, id)) {
        privateChats.outbox.notify(String(friendId), 'delete_not_saved');
        return;
      }
      toast({
        title: copy.removed.title,
        action: { label: copy.removed.undo, run: () => messageChanges.undoDeletion(id) },
      });
    },
    [friendId],
  );
};
