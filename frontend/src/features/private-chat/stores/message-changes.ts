import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { privateReactionSchema } from '@thaw/contract/private-chat';
import * as z from 'zod/mini';
import { create } from 'zustand';
import { type NoticeKind } from '@/chat-ui/copy';
import { toggleReaction } from '@/features/private-chat/conversation';
import {
  privateChats,
  type PrivateChatExtension,
  type PrivateChats,
} from '@/features/private-chat/stores/private-chat.store';
import { systemClock, type Clock } from '@/lib/clock';
import { newId } from '@/lib/new-id';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface PendingEdit {
  editId: string;
  friendId: number;
  messageId: number;
  newContent: string;
}

export interface PendingDeletion {
  friendId: number;
  messageId: number;
}

/** The user's edits and deletions that the server has not acknowledged yet. The chat already shows them. */
export interface PendingChanges {
  edits: readonly PendingEdit[];
  deletions: readonly PendingDeletion[];
}

const reactionAckSchema = z.object({ reactions: z.array(privateReactionSchema) });
const noChanges: PendingChanges = { edits: [], deletions: [] };

export interface MessageChangesOptions {
  clock: Clock;
  newId: () => string;
}

/**
 * Edits, reactions and deletions in private chats. Only the screen of a private chat makes such changes, so this
 * module is loaded with it.
 */
export const createMessageChanges = (chat: PrivateChats, { clock, newId }: MessageChangesOptions) => {
  const { getSocket, getUserId, conversations, outbox, handleNotFriends } = chat;
  const useStore = create<PendingChanges>()(() => noChanges);
  /** The edits that have been sent and wait for a response. */
  const sendingEditIds = new Set<string>();
  /** By message id, the timers of the undo periods; when one ends, the deletion is sent. */
  const undoTimers = new Map<number, number>();

  const isConnected = (): boolean => getUserId() !== undefined && getSocket().isOpen;

  /**
   * Sends a change of one message. Calls `onFailed` after a refusal or a timeout, unless the friendship has ended.
   * @returns 'interrupted' when the connection was lost before the ack: the change may or may not be stored; 'failed'
   * when the server refused the change, did not respond in time, or another user has signed in
   */
  const sendChange = async <E extends ClientEvent>(
    me: number,
    friendId: number,
    event: E,
    data: ClientInput<E>,
    onAck: (ack: Record<string, unknown>) => void,
    onFailed: (reason: 'too_fast' | 'not_saved', retryAfterMs?: number) => void,
  ): Promise<'done' | 'failed' | 'interrupted'> => {
    try {
      await getSocket().request(event, data, {
        // A late ack does not concern another user who has signed in since.
        onAck: (ack) => (me === getUserId() ? onAck(ack) : undefined),
      });
      return 'done';
    } catch (error) {
      if (!(error instanceof SocketRequestError)) throw error;
      if (me !== getUserId()) return 'failed';
      if (error.failure === 'closed' || error.failure === 'not_connected') return 'interrupted';
      if (error.code === 'not_friends') handleNotFriends(friendId);
      else {
        // The refetch undoes a refused reaction, and shows whether a change was stored in spite of a timeout.
        conversations.refetch(me, friendId);
        onFailed(error.code === 'rate_limited' ? 'too_fast' : 'not_saved', error.retryAfterMs);
      }
      return 'failed';
    }
  };

  const notify = (friendId: number, kind: NoticeKind, showAtLeastMs?: number): void =>
    outbox.notify(String(friendId), kind, showAtLeastMs);

  const dropEdit = (editId: string): void =>
    useStore.setState(({ edits }) => ({ edits: edits.filter((edit) => edit.editId !== editId) }));

  const sendEdit = async ({ editId, friendId, messageId, newContent }: PendingEdit): Promise<void> => {
    const me = getUserId();
    if (me === undefined || sendingEditIds.has(editId)) return;
    sendingEditIds.add(editId);
    const outcome = await sendChange(
      me,
      friendId,
      'edit_private_message',
      { messageId, newContent, senderId: me, receiverId: friendId },
      () => {
        conversations.applyChange(me, friendId, { type: 'edited', messageId, newContent });
        dropEdit(editId);
      },
      (reason, retryAfterMs) => {
        outbox.keepUnsavedEdit({
          conversationId: String(friendId),
          messageId: String(messageId),
          text: newContent,
        });
        notify(friendId, `edit_${reason}`, retryAfterMs);
      },
    );
    sendingEditIds.delete(editId);
    if (outcome === 'failed') dropEdit(editId);
  };

  const dropDeletion = (messageId: number): void => {
    clock.clearTimeout(undoTimers.get(messageId));
    undoTimers.delete(messageId);
    useStore.setState(({ deletions }) => ({
      deletions: deletions.filter((deletion) => deletion.messageId !== messageId),
    }));
  };

  const sendDeletion = async ({ friendId, messageId }: PendingDeletion): Promise<void> => {
    const me = getUserId();
    // From now on the deletion cannot be undone.
    clock.clearTimeout(undoTimers.get(messageId));
    undoTimers.delete(messageId);
    // Without a connection the deletion stays pending; `resendAll` sends it after the next connect.
    if (me === undefined || !isConnected()) return;
    const outcome = await sendChange(
      me,
      friendId,
      'delete_private_message',
      { messageId, senderId: me, receiverId: friendId },
      () => {
        conversations.applyChange(me, friendId, { type: 'deleted', messageId });
        dropDeletion(messageId);
      },
      // Failed deletions have only one notice, whatever the reason.
      () => notify(friendId, 'delete_not_saved'),
    );
    if (outcome === 'failed') dropDeletion(messageId);
  };

  /** Ends all undo periods and sends their deletions, because the user leaves the chat or the page, or signs out. */
  const sendDeletions = (): void => {
    for (const deletion of useStore.getState().deletions)
      if (undoTimers.has(deletion.messageId)) void sendDeletion(deletion);
  };

  const extension: PrivateChatExtension = {
    reset: (): void => {
      for (const timer of undoTimers.values()) clock.clearTimeout(timer);
      undoTimers.clear();
      sendingEditIds.clear();
      useStore.setState(noChanges);
    },
    forgetFriend: (friendId: number): void => {
      for (const deletion of useStore.getState().deletions)
        if (deletion.friendId === friendId) dropDeletion(deletion.messageId);
      useStore.setState(({ edits }) => ({ edits: edits.filter((edit) => edit.friendId !== friendId) }));
    },
    resendAll: (): void => {
      const { edits, deletions } = useStore.getState();
      for (const edit of edits) void sendEdit(edit);
      for (const deletion of deletions) {
        const canBeUndone = undoTimers.has(deletion.messageId);
        if (!canBeUndone) void sendDeletion(deletion);
      }
    },
    sendDeletions,
  };
  chat.addExtension(extension);

  return {
    useStore,
    sendDeletions,

    /**
     * Saves an edit, which is shown at once.
     * @returns false while not connected: nothing is changed then. The same holds for `react` and `deleteMessage`.
     */
    edit: (friendId: number, messageId: number, newContent: string): boolean => {
      if (!isConnected()) return false;
      const edit: PendingEdit = { editId: newId(), friendId, messageId, newContent };
      useStore.setState(({ edits }) => ({ edits: [...edits, edit] }));
      void sendEdit(edit);
      return true;
    },

    /** Toggles a reaction, which is shown at once. The ack then replaces all reactions of the message. */
    react: (friendId: number, messageId: number, emoji: string): boolean => {
      const me = getUserId();
      if (me === undefined || !isConnected()) return false;
      const message = conversations.getLoaded(me, friendId)?.messages.find(({ id }) => id === messageId);
      // Nothing to toggle; false would mean that there is no connection.
      if (!message) return true;
      const reactions = toggleReaction(message.reactions, emoji, me);
      conversations.applyChange(me, friendId, { type: 'reacted', messageId, reactions });
      void sendChange(
        me,
        friendId,
        'react_private_message',
        { messageId, emoji, userId: me, receiverId: friendId },
        (data) => {
          const ack = reactionAckSchema.safeParse(data);
          if (!ack.success) return conversations.refetch(me, friendId);
          conversations.applyChange(me, friendId, {
            type: 'reacted',
            messageId,
            reactions: ack.data.reactions,
          });
        },
        (reason, retryAfterMs) => notify(friendId, `reaction_${reason}`, retryAfterMs),
      ).then((outcome) => {
        // A repeated toggle would undo itself, so the outcome is read from the server.
        if (outcome === 'interrupted') conversations.refetch(me, friendId);
      });
      return true;
    },

    /** Deletes a message: it is shown as deleted at once, and the deletion is sent when the undo period is over. */
    deleteMessage: (friendId: number, messageId: number): boolean => {
      if (!isConnected()) return false;
      const deletion: PendingDeletion = { friendId, messageId };
      // Replaces an earlier deletion of this message, if there is one.
      dropDeletion(messageId);
      useStore.setState(({ deletions }) => ({ deletions: [...deletions, deletion] }));
      // The undo period is the time for which the toast with Undo is shown.
      undoTimers.set(
        messageId,
        clock.setTimeout(() => void sendDeletion(deletion), pageLimits.toastMs),
      );
      return true;
    },
    /** Shows a deleted message again during its undo period; later it has no effect. */
    undoDeletion: (messageId: number): void => {
      if (undoTimers.has(messageId)) dropDeletion(messageId);
    },
  };
};

export const messageChanges = createMessageChanges(privateChats, { clock: systemClock, newId });
