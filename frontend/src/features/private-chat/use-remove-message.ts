import { useCallback, useEffect } from 'react';
import { copy } from '@/features/private-chat/copy';
import { privateChat } from '@/features/private-chat/private-chat.store';
import { toast } from '@/ui/toast-store';

/** Deletes a message of mine, with a toast that undoes it; when the chat or the page is left, it is deleted at once. */
export const useRemoveMessage = (friendId: number): ((messageId: string) => void) => {
  useEffect(() => {
    window.addEventListener('pagehide', privateChat.changes.sendRemovals);
    return () => {
      window.removeEventListener('pagehide', privateChat.changes.sendRemovals);
      privateChat.changes.sendRemovals();
    };
  }, []);
  return useCallback(
    (messageId: string) => {
      const id = Number(messageId);
      if (!privateChat.changes.remove(friendId, id)) {
        privateChat.outbox.notify(String(friendId), 'delete_not_saved');
        return;
      }
      toast({
        title: copy.removed.title,
        action: { label: copy.removed.undo, run: () => privateChat.changes.undoRemove(id) },
      });
    },
    [friendId],
  );
};
