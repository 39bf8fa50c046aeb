import { useCallback, useEffect } from 'react';
import { copy } from '@/features/private-chat/copy';
import { messageChanges } from '@/features/private-chat/stores/message-changes';
import { privateChat } from '@/features/private-chat/stores/private-chat.store';
import { toast } from '@/ui/toast-store';

/** Deletes a message of mine, with a toast that undoes it; when the chat or the page is left, it is deleted at once. */
export const useRemoveMessage = (friendId: number): ((messageId: string) => void) => {
  useEffect(() => {
    window.addEventListener('pagehide', messageChanges.sendRemovals);
    return () => {
      window.removeEventListener('pagehide', messageChanges.sendRemovals);
      messageChanges.sendRemovals();
    };
  }, []);
  return useCallback(
    (messageId: string) => {
      const id = Number(messageId);
      if (!messageChanges.remove(friendId, id)) {
        privateChat.outbox.notify(String(friendId), 'delete_not_saved');
        return;
      }
      toast({
        title: copy.removed.title,
        action: { label: copy.removed.undo, run: () => messageChanges.undoRemove(id) },
      });
    },
    [friendId],
  );
};
