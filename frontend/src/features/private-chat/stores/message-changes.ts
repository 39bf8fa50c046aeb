import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { privateReactionSchema } from '@thaw/contract/private-chat';
import * as z from 'zod/mini';
import { create } from 'zustand';
import { type NoticeKind } from '@/chat-ui/copy';
import { toggleReaction } from '@/features/private-chat/conversation';
import {
  privateChats,
  type PrivateChatPart,
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

export interface PendingRemoval {
  friendId: number;
  messageId: number;
}

/** Changes of the user's messages that the server has not confirmed; shown at once. */
export interface PendingChanges {
  edits: readonly PendingEdit[];
  removals: readonly PendingRemoval[];
}

const reactionAckSchema = z.object({ reactions: z.array(privateReactionSchema) });
const noChanges: PendingChanges = { edits: [], removals: [] };

export interface MessageChangesOptions {
  clock: Clock;
  newId: () => string;
}

/** Edits, reactions and deletions in private chats. Loaded with the screen, the only place where they are made. */
export const createMessageChanges = (chat: PrivateChats, { clock, newId }: MessageChangesOptions) => {
  const { getSocket, getUserId, conversations, outbox, handleNotFriends } = chat;
  const useStore = create<PendingChanges>()(() => noChanges);
  const inFlightEditIds = new Set<string>();
  const removalTimers = new Map<number, number>();

  const isConnected = (): boolean => getUserId() !== undefined && getSocket().isOpen;

  /**
   * Sends a change of one message.
   * @returns 'interrupted' when the connection was lost before the answer: the change may or may not be stored.
   */
  const sendChange = async <E extends ClientEvent>(
    friendId: number,
    event: E,
    data: ClientInput<E>,
    onAck: (ack: Record<string, unknown>) => void,
    onRefused: (reason: 'too_fast' | 'not_saved', retryAfterMs?: number) => void,
  ): Promise<'done' | 'refused' | 'interrupted'> => {
    const me = getUserId();
    try {
      await getSocket().request(event, data, {
        onAck: (ack) => (me === getUserId() ? onAck(ack) : undefined),
      });
      return 'done';
    } catch (error) {
      if (!(error instanceof SocketRequestError)) throw error;
      if (me === undefined || me !== getUserId()) return 'refused';
      if (error.failure === 'closed' || error.failure === 'not_connected') return 'interrupted';
      if (error.code === 'not_friends') handleNotFriends(friendId);
      else {
        conversations.refetch(me, friendId);
        onRefused(error.code === 'rate_limited' ? 'too_fast' : 'not_saved', error.retryAfterMs);
      }
      return 'refused';
    }
  };

  const notify = (friendId: number, kind: NoticeKind, minimumMs?: number): void =>
    outbox.notify(String(friendId), kind, minimumMs);

  const dropEdit = (editId: string): void =>
    useStore.setState(({ edits }) => ({ edits: edits.filter((edit) => edit.editId !== editId) }));

  const sendEdit = async ({ editId, friendId, messageId, newContent }: PendingEdit): Promise<void> => {
    const me = getUserId();
    if (me === undefined || inFlightEditIds.has(editId)) return;
    inFlightEditIds.add(editId);
    const outcome = await sendChange(
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
    inFlightEditIds.delete(editId);
    if (outcome === 'refused') dropEdit(editId);
  };

  const dropRemoval = (messageId: number): void => {
    clock.clearTimeout(removalTimers.get(messageId));
    removalTimers.delete(messageId);
    useStore.setState(({ removals }) => ({
      removals: removals.filter((removal) => removal.messageId !== messageId),
    }));
  };

  const sendRemoval = async ({ friendId, messageId }: PendingRemoval): Promise<void> => {
    const me = getUserId();
    clock.clearTimeout(removalTimers.get(messageId));
    removalTimers.delete(messageId);
    // Without a connection the deletion stays pending; `resendAll` sends it on the next connect.
    if (me === undefined || !isConnected()) return;
    const outcome = await sendChange(
      friendId,
      'delete_private_message',
      { messageId, senderId: me, receiverId: friendId },
      () => {
        conversations.applyChange(me, friendId, { type: 'deleted', messageId });
        dropRemoval(messageId);
      },
      () => notify(friendId, 'delete_not_saved'),
    );
    if (outcome === 'refused') dropRemoval(messageId);
  };

  /** Sends at once the deletions that could still be undone. */
  const sendDeletions = (): void => {
    for (const removal of useStore.getState().removals)
      if (removalTimers.has(removal.messageId)) void sendRemoval(removal);
  };

  const part: PrivateChatPart = {
    reset: (): void => {
      for (const timer of removalTimers.values()) clock.clearTimeout(timer);
      removalTimers.clear();
      inFlightEditIds.clear();
      useStore.setState(noChanges);
    },
    removeFriend: (friendId: number): void =>
      useStore.setState(({ edits, removals }) => ({
        edits: edits.filter((edit) => edit.friendId !== friendId),
        removals: removals.filter((removal) => removal.friendId !== friendId),
      })),
    resendAll: (): void => {
      const { edits, removals } = useStore.getState();
      for (const edit of edits) void sendEdit(edit);
      for (const removal of removals) if (!removalTimers.has(removal.messageId)) void sendRemoval(removal);
    },
    sendDeletions,
  };
  chat.addPart(part);

  return {
    useStore,
    sendDeletions,

    /**
     * Saves an edit, which is shown at once.
     * @returns false while not connected: nothing is sent then. The same holds for `react` and `remove`.
     */
    edit: (friendId: number, messageId: number, newContent: string): boolean => {
      if (!isConnected()) return false;
      const edit: PendingEdit = { editId: newId(), friendId, messageId, newContent };
      useStore.setState(({ edits }) => ({ edits: [...edits, edit] }));
      void sendEdit(edit);
      return true;
    },

    /** Toggles a reaction, which is shown at once. The server's answer then replaces all reactions of the message. */
    react: (friendId: number, messageId: number, emoji: string): boolean => {
      const me = getUserId();
      if (me === undefined || !isConnected()) return false;
      const message = conversations.getLoaded(me, friendId)?.messages.find(({ id }) => id === messageId);
      if (!message) return true;
      const reactions = toggleReaction(message.reactions, emoji, me);
      conversations.applyChange(me, friendId, { type: 'reacted', messageId, reactions });
      void sendChange(
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
        // A toggle must not be repeated, so its outcome is read from the server.
        if (outcome === 'interrupted') conversations.refetch(me, friendId);
      });
      return true;
    },

    /** Deletes a message: it is shown as deleted at once, and the deletion is sent when the undo period is over. */
    remove: (friendId: number, messageId: number): boolean => {
      if (!isConnected()) return false;
      const removal: PendingRemoval = { friendId, messageId };
      dropRemoval(messageId);
      useStore.setState(({ removals }) => ({ removals: [...removals, removal] }));
      removalTimers.set(
        messageId,
        clock.setTimeout(() => void sendRemoval(removal), pageLimits.toastMs),
      );
      return true;
    },
    undoRemove: (messageId: number): void => {
      if (removalTimers.has(messageId)) dropRemoval(messageId);
    },
  };
};

export const messageChanges = createMessageChanges(privateChats, { clock: systemClock, newId });
