import { type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import { create } from 'zustand';
import { unreadCountsKey } from '@/features/private-chat/api/private-messages';
import { type KnownMessage } from '@/features/private-chat/conversation';
import { ConversationCache } from '@/features/private-chat/stores/conversation-cache';
import { Drafts } from '@/features/private-chat/stores/drafts';
import { createPrivateOutbox } from '@/features/private-chat/stores/private-outbox';
import {
  clearUnread,
  incrementUnread,
  getUnreadStorageKey,
  type UnreadCounts,
} from '@/features/private-chat/unread';
import { systemClock, type Clock } from '@/lib/clock';
import { newId } from '@/lib/new-id';
import { pageLimits } from '@/lib/page-limits';
import { queryClient, refetchIfInFlight } from '@/lib/query-client';
import { getServerNow } from '@/lib/server-clock';
import { disconnected, type FeatureSocket } from '@/lib/socket/feature-socket';
import { browserStorage } from '@/lib/storage';
import { currentUser } from '@/product/identity';

export interface PrivateChatState {
  /** Ids of the friends who are typing to the user. */
  typing: readonly number[];
}

/**
 * Edits, reactions and deletions of sent messages (message-changes.ts). Only the screen of a private chat needs them,
 * so their code is loaded with it, and registers itself with `addExtension`.
 */
export interface PrivateChatExtension {
  /** Called when the signed-in user has changed: removes the data of the previous one. */
  reset: () => void;
  /** Called when a friendship has ended: removes everything about this friend. */
  forgetFriend: (friendId: number) => void;
  /** Called on connect: sends again the changes that a lost connection interrupted. */
  resendAll: () => void;
  /** Sends the deletions that could still be undone, without waiting for the end of the undo period. */
  sendDeletions: () => void;
}

export interface PrivateChatOptions {
  clock: Clock;
  newId: () => string;
  queryClient: QueryClient;
}

/** Returns the id of the friend who has sent the message to the user, or received it from the user. */
const getFriendId = (
  me: number,
  { senderId, receiverId }: { senderId: number; receiverId: number },
): number => (senderId === me ? receiverId : senderId);

/** The private chats and the commands of their screen. The conversations themselves are in the query cache. */
export const createPrivateChats = ({ clock, newId, queryClient }: PrivateChatOptions) => {
  const useStore = create<PrivateChatState>()(() => ({ typing: [] }));
  const conversations = new ConversationCache(queryClient);
  const drafts = new Drafts();
  const typingTimers = new Map<number, number>();
  const extensions = new Set<PrivateChatExtension>();
  const friendshipEndListeners = new Set<(friendId: number) => void>();
  let socket = disconnected;
  /** The user whose data the store contains. */
  let userId: number | undefined;

  const updateUnread = (me: number, update: (counts: UnreadCounts) => UnreadCounts): void => {
    const queryKey = unreadCountsKey(me);
    // Counts that are not loaded yet need no update.
    queryClient.setQueryData<UnreadCounts>(queryKey, (counts) => counts && update(counts));
    // A response in flight may be older than the change and would overwrite it.
    void refetchIfInFlight(queryClient, queryKey);
  };

  const hideTyping = (friendId: number): void => {
    clock.clearTimeout(typingTimers.get(friendId));
    typingTimers.delete(friendId);
    const { typing } = useStore.getState();
    if (typing.includes(friendId)) useStore.setState({ typing: typing.filter((id) => id !== friendId) });
  };

  /** Shows that a friend is typing, until `pageLimits.typingShownMs` after the last call. */
  const showTyping = (friendId: number): void => {
    clock.clearTimeout(typingTimers.get(friendId));
    const { typing } = useStore.getState();
    if (!typing.includes(friendId)) useStore.setState({ typing: [...typing, friendId] });
    typingTimers.set(
      friendId,
      clock.setTimeout(() => hideTyping(friendId), pageLimits.typingShownMs),
    );
  };

  const outbox = createPrivateOutbox({
    clock,
    newId,
    getSocket: () => socket,
    getUserId: () => userId,
    drafts,
    onStored: (message) =>
      conversations.applyChange(message.senderId, message.receiverId, { type: 'sent', message }),
    onNotFriends: (friendId) => forgetFriend(friendId), // declared below, because it uses the outbox
  });

  /** Called when a friendship has ended: removes everything about this friend. */
  const forgetFriend = (friendId: number): void => {
    if (userId === undefined) return;
    conversations.remove(userId, friendId);
    drafts.remove(friendId);
    hideTyping(friendId);
    updateUnread(userId, (counts) => clearUnread(counts, friendId));
    outbox.keepOnlyConversations((conversationId) => conversationId !== String(friendId));
    for (const extension of extensions) extension.forgetFriend(friendId);
    for (const listener of friendshipEndListeners) listener(friendId);
  };

  const handleMessage = (me: number, message: KnownMessage): void => {
    const friendId = getFriendId(me, message);
    conversations.applyChange(me, friendId, { type: 'sent', message });
    if (message.senderId === me) {
      // This tab may have sent the message and lost the ack. For a message of another tab, the call does nothing.
      if (message.clientId !== undefined) outbox.markStored(message.clientId);
      return;
    }
    hideTyping(friendId);
    updateUnread(me, (counts) => incrementUnread(counts, friendId));
  };

  const handleFrame = (me: number, frame: ServerFrame): void => {
    switch (frame.event) {
      case 'private_message':
        return handleMessage(me, frame.data);
      case 'private_message_edited': {
        const { messageId, newContent } = frame.data;
        const friendId = getFriendId(me, frame.data);
        return conversations.applyChange(me, friendId, { type: 'edited', messageId, newContent });
      }
      case 'private_message_reaction': {
        const { messageId, reactions } = frame.data;
        const friendId = getFriendId(me, frame.data);
        return conversations.applyChange(me, friendId, { type: 'reacted', messageId, reactions });
      }
      case 'private_message_deleted': {
        const { messageId, senderId } = frame.data;
        conversations.applyChange(me, getFriendId(me, frame.data), { type: 'deleted', messageId });
        // The deleted message may have been unread; only the server knows the new count.
        if (senderId !== me) void queryClient.invalidateQueries({ queryKey: unreadCountsKey(me) });
        return;
      }
      case 'private_messages_read':
        return updateUnread(me, (counts) => clearUnread(counts, frame.data.friendId));
      case 'typing':
        // A frame without a sender id belongs to the random chat.
        if (frame.data.senderId !== undefined) showTyping(frame.data.senderId);
        return;
      case 'friendship_removed': {
        const { removedFriendId, removedBy } = frame.data;
        return forgetFriend(removedFriendId === me ? removedBy : removedFriendId);
      }
      case 'block_changed':
        // A block ends the friendship.
        if (frame.data.isBlocked) forgetFriend(frame.data.userId);
        return;
      default:
        return;
    }
  };

  return {
    useStore,
    conversations,
    drafts,
    outbox,
    getSocket: (): FeatureSocket => socket,
    getUserId: (): number | undefined => userId,
    /** Called when the code of the extension has been loaded. */
    addExtension: (extension: PrivateChatExtension): void => {
      extensions.add(extension);
    },
    attachSocket: (newSocket: FeatureSocket): void => {
      socket = newSocket;
    },
    /** Called when the signed-in user has changed: removes the data of the previous one. */
    switchUser: (): void => {
      // The conversations are in the query cache, which the page clears on sign-out.
      const nextUserId = currentUser()?.id;
      for (const timer of typingTimers.values()) clock.clearTimeout(timer);
      typingTimers.clear();
      // Also called for the same user, whose data in the browser's storage then stays.
      if (userId !== undefined && userId !== nextUserId) {
        browserStorage.remove(getUnreadStorageKey(userId));
        drafts.clear();
      }
      userId = nextUserId;
      drafts.switchUser(nextUserId);
      outbox.switchUser(nextUserId);
      for (const extension of extensions) extension.reset();
      useStore.setState({ typing: [] });
    },
    /** Called on connect: sends again the messages and changes that a lost connection or a reload interrupted. */
    resendInterrupted: (): void => {
      outbox.resendUnacknowledged();
      for (const extension of extensions) extension.resendAll();
    },
    /** Called before signing out: sends the deletions that could still be undone. */
    sendDeletions: (): void => {
      for (const extension of extensions) extension.sendDeletions();
    },
    /** Called when the socket client stops reconnecting. */
    handleConnectionGivenUp: outbox.handleConnectionGivenUp,
    receive: (frame: ServerFrame): void => {
      if (userId !== undefined) handleFrame(userId, frame);
    },

    /** The text of the unsent draft to a friend. */
    readDraftText: (friendId: number): string => drafts.get(friendId).text,
    /** Whether a message is in the loaded part of the conversation with this friend. */
    isLoaded: (friendId: number, messageId: number): boolean =>
      userId !== undefined &&
      (conversations.getLoaded(userId, friendId)?.messages.some(({ id }) => id === messageId) ?? false),
    /** Called when the user types: notifies the friend, unless the last notification was less than two seconds ago. */
    notifyTyping: (friendId: number): void => {
      if (outbox.tryAcquireTypingPermit(String(friendId))) socket.send('typing', { receiverId: friendId });
    },
    /** Subscribes to the end of friendships; returns the function that unsubscribes. */
    onFriendshipEnded: (listener: (friendId: number) => void): (() => void) => {
      friendshipEndListeners.add(listener);
      return () => friendshipEndListeners.delete(listener);
    },
    /** Called when the server reports that the two users are not friends: removes everything about this friend. */
    handleNotFriends: forgetFriend,
    /** Clears the unread count of a friend on this page. */
    clearUnreadCount: (friendId: number): void => {
      if (userId !== undefined) updateUnread(userId, (counts) => clearUnread(counts, friendId));
    },
  };
};

export type PrivateChats = ReturnType<typeof createPrivateChats>;

export const privateChats = createPrivateChats({
  // `now` is the server's time, because times of unsent messages are compared with those of stored messages.
  clock: { ...systemClock, now: getServerNow },
  newId,
  queryClient,
});

export const usePrivateChats = privateChats.useStore;
