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

/**
 * - done: the server has stored the change
 * - failed: the server has refused it or has not responded in time, or another user has signed in
 * - interrupted: the connection was lost before the ack, so the change may or may not be stored
 */
type ChangeOutcome = 'done' | 'failed' | 'interrupted';

/** A change of one message, as it is sent to the server. */
interface Change<E extends ClientEvent> {
  /** The user who makes the change. */
  me: number;
  friendId: number;
  event: E;
  data: ClientInput<E>;
  onAck: (ack: Record<string, unknown>) => void;
  /** Called after a refusal or a timeout, unless the friendship has ended. */
  onFailed: (reason: 'too_fast' | 'not_saved', retryAfterMs?: number) => void;
}

const reactionAckSchema = z.object({ reactions: z.array(privateReactionSchema) });
const noChanges: PendingChanges = { edits: [], deletions: [] };

export interface MessageChangesOptions {
  clock: Clock;
  newId: () => string;
}

/**
 * Edits, reactions and deletions in private chats. Only the screen of a private chat makes such changes, so this
 * module is loaded together with that screen, and registers itself with `addExtension`.
 */
export const createMessageChanges = (chat: PrivateChats, { clock, newId }: MessageChangesOptions) => {
  const { getSocket, getUserId, conversations, outbox, handleNotFriends } = chat;
  const useStore = create<PendingChanges>()(() => noChanges);
  /** Edits in flight. Other pending edits were interrupted. */
  const sendingEditIds = new Set<string>();
  /** The timers of the undo periods, by message id. At the end of its undo period, a deletion is sent. */
  const undoTimers = new Map<number, number>();

  const isConnected = (): boolean => getUserId() !== undefined && getSocket().isOpen;

  const sendChange = async <E extends ClientEvent>({
    me,
    friendId,
    event,
    data,
    onAck,
    onFailed,
  }: Change<E>): Promise<ChangeOutcome> => {
    // Another user may have signed in before the response, which does not concern them.
    const isStillSignedIn = (): boolean => me === getUserId();
    try {
      await getSocket().request(event, data, {
        onAck: (ack) => {
          if (isStillSignedIn()) onAck(ack);
        },
      });
      return 'done';
    } catch (error) {
      if (!(error instanceof SocketRequestError)) throw error;
      if (!isStillSignedIn()) return 'failed';
      if (error.failure === 'closed' || error.failure === 'not_connected') return 'interrupted';
      if (error.code === 'not_friends') {
        handleNotFriends(friendId);
        return 'failed';
      }
      // The refetch undoes a refused reaction, and shows whether a change was stored in spite of a timeout.
      conversations.refetch(me, friendId);
      onFailed(error.code === 'rate_limited' ? 'too_fast' : 'not_saved', error.retryAfterMs);
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
    const outcome = await sendChange({
      me,
      friendId,
      event: 'edit_private_message',
      data: { messageId, newContent, senderId: me, receiverId: friendId },
      onAck: () => {
        conversations.applyChange(me, friendId, { type: 'edited', messageId, newContent });
        dropEdit(editId);
      },
      onFailed: (reason, retryAfterMs) => {
        outbox.keepUnsavedEdit({
          conversationId: String(friendId),
          messageId: String(messageId),
          text: newContent,
        });
        notify(friendId, `edit_${reason}`, retryAfterMs);
      },
    });
    sendingEditIds.delete(editId);
    // An interrupted edit stays pending, and `resendAll` sends it again.
    if (outcome === 'failed') dropEdit(editId);
  };

  const canBeUndone = (messageId: number): boolean => undoTimers.has(messageId);

  const endUndoPeriod = (messageId: number): void => {
    clock.clearTimeout(undoTimers.get(messageId));
    undoTimers.delete(messageId);
  };

  const dropDeletion = (messageId: number): void => {
    endUndoPeriod(messageId);
    useStore.setState(({ deletions }) => ({
      deletions: deletions.filter((deletion) => deletion.messageId !== messageId),
    }));
  };

  const sendDeletion = async ({ friendId, messageId }: PendingDeletion): Promise<void> => {
    const me = getUserId();
    endUndoPeriod(messageId);
    // Without a connection, and after an interruption, the deletion stays pending, and `resendAll` sends it.
    if (me === undefined || !isConnected()) return;
    const outcome = await sendChange({
      me,
      friendId,
      event: 'delete_private_message',
      data: { messageId, senderId: me, receiverId: friendId },
      onAck: () => {
        conversations.applyChange(me, friendId, { type: 'deleted', messageId });
        dropDeletion(messageId);
      },
      // There is one notice for all reasons.
      onFailed: () => notify(friendId, 'delete_not_saved'),
    });
    if (outcome === 'failed') dropDeletion(messageId);
  };

  /** Sends the deletions that could still be undone, because the user leaves the chat or the page, or signs out. */
  const sendDeletions = (): void => {
    for (const deletion of useStore.getState().deletions)
      if (canBeUndone(deletion.messageId)) void sendDeletion(deletion);
  };

  const sendReaction = async (
    me: number,
    { friendId, messageId, emoji }: { friendId: number; messageId: number; emoji: string },
  ): Promise<void> => {
    const outcome = await sendChange({
      me,
      friendId,
      event: 'react_private_message',
      data: { messageId, emoji, userId: me, receiverId: friendId },
      onAck: (data) => {
        const ack = reactionAckSchema.safeParse(data);
        if (!ack.success) return conversations.refetch(me, friendId);
        const { reactions } = ack.data;
        conversations.applyChange(me, friendId, { type: 'reacted', messageId, reactions });
      },
      onFailed: (reason, retryAfterMs) => notify(friendId, `reaction_${reason}`, retryAfterMs),
    });
    // The reaction is not sent again, because a second toggle would undo the first. The refetch shows the outcome.
    if (outcome === 'interrupted') conversations.refetch(me, friendId);
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
      for (const deletion of deletions) if (!canBeUndone(deletion.messageId)) void sendDeletion(deletion);
    },
    sendDeletions,
  };
  chat.addExtension(extension);

  // `edit`, `react` and `deleteMessage` return false while not connected, and then change nothing.
  return {
    useStore,
    sendDeletions,

    /** Saves an edit, which is shown at once. */
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
      if (!message) return true; // there is nothing to toggle
      const reactions = toggleReaction(message.reactions, emoji, me);
      conversations.applyChange(me, friendId, { type: 'reacted', messageId, reactions });
      void sendReaction(me, { friendId, messageId, emoji });
      return true;
    },

    /** Deletes a message: it is shown as deleted at once, and the deletion is sent when the undo period is over. */
    deleteMessage: (friendId: number, messageId: number): boolean => {
      if (!isConnected()) return false;
      const deletion: PendingDeletion = { friendId, messageId };
      // An earlier deletion of this message, if there is one, is replaced, and the undo period starts again.
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
      if (canBeUndone(messageId)) dropDeletion(messageId);
    },
  };
};

export const messageChanges = createMessageChanges(privateChats, { clock: systemClock, newId });
