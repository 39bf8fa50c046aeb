import { type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import { create } from 'zustand';
import { unreadKey } from '@/features/private-chat/api/private-messages';
import { type KnownMessage } from '@/features/private-chat/conversation';
import { ConversationCache } from '@/features/private-chat/stores/conversation-cache';
import { Drafts } from '@/features/private-chat/stores/drafts';
import { createPrivateOutbox } from '@/features/private-chat/stores/private-outbox';
import { noneOf, oneMore, unreadStorageKey, type UnreadCounts } from '@/features/private-chat/unread';
import { systemClock, type Clock } from '@/lib/clock';
import { newId } from '@/lib/new-id';
import { pageLimits } from '@/lib/page-limits';
import { queryClient } from '@/lib/query-client';
import { serverNow } from '@/lib/server-clock';
import { disconnected, type FeatureSocket } from '@/lib/socket/feature-socket';
import { browserStorage } from '@/lib/storage';
import { currentUser } from '@/product/identity';

export interface PrivateChatState {
  /** Friends who are typing to me. */
  typing: readonly number[];
}

/** What of the private chats is not needed before one is open. */
export interface PrivateChatPart {
  reset: () => void;
  forget: (friendId: number) => void;
  /** There is a connection: what was cut off is sent again. */
  sendAll: () => void;
  sendRemovals: () => void;
}

export interface PrivateChatOptions {
  clock: Clock;
  newId: () => string;
  queryClient: QueryClient;
}

/** The private chats with the commands of the screen; the conversations themselves stand in the query cache. */
export const createPrivateChat = ({ clock, newId, queryClient }: PrivateChatOptions) => {
  const useStore = create<PrivateChatState>()(() => ({ typing: [] }));
  const conversations = new ConversationCache(queryClient);
  const drafts = new Drafts();
  const typingTimers = new Map<number, number>();
  const parts = new Set<PrivateChatPart>();
  const partings = new Set<(friendId: number) => void>();
  let socket = disconnected;
  let userId: number | undefined;

  const changeUnread = (me: number, to: (counts: UnreadCounts) => UnreadCounts): void => {
    const queryKey = unreadKey(me);
    queryClient.setQueryData<UnreadCounts>(queryKey, (counts) => counts && to(counts));
    void askAgainIfOnItsWay(queryKey);
  };
  /** An answer that is under way may have been given before the change, and would undo it. */
  const askAgainIfOnItsWay = async (queryKey: readonly string[]): Promise<void> => {
    const query = queryClient.getQueryCache().find({ queryKey, exact: true });
    if (query?.state.fetchStatus !== 'fetching') return;
    // Without data a query cannot be restarted: its first answer is waited for.
    if (query.state.data === undefined) await query.promise?.catch(() => undefined);
    await queryClient.invalidateQueries({ queryKey });
  };

  /** No longer friends: nothing of the two stays here (A127). */
  const forget = (friendId: number): void => {
    if (userId === undefined) return;
    conversations.forget(userId, friendId);
    drafts.forget(friendId);
    showTyping(friendId, false);
    changeUnread(userId, (counts) => noneOf(counts, friendId));
    outbox.keepOnly((conversationId) => conversationId !== String(friendId));
    for (const part of parts) part.forget(friendId);
    for (const listen of partings) listen(friendId);
  };

  const outbox = createPrivateOutbox({
    clock,
    newId,
    socket: () => socket,
    userId: () => userId,
    drafts,
    onStored: (message) =>
      conversations.change(message.senderId, message.receiverId, { type: 'sent', message }),
    onNotFriends: forget,
  });
  const showTyping = (friendId: number, isTyping: boolean): void => {
    clock.clearTimeout(typingTimers.get(friendId));
    typingTimers.delete(friendId);
    const { typing } = useStore.getState();
    if (isTyping !== typing.includes(friendId)) {
      useStore.setState({
        typing: isTyping ? [...typing, friendId] : typing.filter((id) => id !== friendId),
      });
    }
    if (!isTyping) return;
    typingTimers.set(
      friendId,
      clock.setTimeout(() => showTyping(friendId, false), pageLimits.typingShownMs),
    );
  };

  const arrived = (me: number, message: KnownMessage): void => {
    const isOwn = message.senderId === me;
    const friendId = isOwn ? message.receiverId : message.senderId;
    conversations.change(me, friendId, { type: 'sent', message });
    if (isOwn) {
      // The ack was lost, or another tab has sent the same.
      if (message.clientId !== undefined) outbox.stored(message.clientId);
      return;
    }
    showTyping(friendId, false);
    changeUnread(me, (counts) => oneMore(counts, friendId));
  };

  return {
    useStore,
    conversations,
    drafts,
    outbox,
    socket: (): FeatureSocket => socket,
    userId: (): number | undefined => userId,
    /** Adds a part that comes with the screen and follows connection and user from then on. */
    attach: (part: PrivateChatPart): void => void parts.add(part),
    connect: (given: FeatureSocket): void => {
      socket = given;
    },
    /** Another user at this page: nothing of the one before stays. */
    reset: (): void => {
      const next = currentUser()?.id;
      for (const timer of typingTimers.values()) clock.clearTimeout(timer);
      typingTimers.clear();
      if (userId !== undefined && userId !== next) {
        browserStorage.remove(unreadStorageKey(userId));
        drafts.erase();
      }
      userId = next;
      drafts.open(next);
      outbox.open(next);
      for (const part of parts) part.reset();
      useStore.setState({ typing: [] });
    },
    /** The connection is there: what was cut off, or left by a reload, is sent again. */
    connected: (): void => {
      outbox.sendAll();
      for (const part of parts) part.sendAll();
    },
    /** The user is about to sign out: what waits is sent now. */
    leaving: (): void => {
      for (const part of parts) part.sendRemovals();
    },
    connectionGivenUp: outbox.giveUp,
    receive: (frame: ServerFrame): void => {
      const me = userId;
      if (me === undefined) return;
      const friendOf = ({ senderId, receiverId }: { senderId: number; receiverId: number }): number =>
        senderId === me ? receiverId : senderId;
      switch (frame.event) {
        case 'private_message':
          return arrived(me, frame.data);
        case 'private_message_edited': {
          const { messageId, newContent } = frame.data;
          return conversations.change(me, friendOf(frame.data), { type: 'edited', messageId, newContent });
        }
        case 'private_message_reaction': {
          const { messageId, reactions } = frame.data;
          return conversations.change(me, friendOf(frame.data), { type: 'reacted', messageId, reactions });
        }
        case 'private_message_deleted': {
          const { messageId, senderId } = frame.data;
          conversations.change(me, friendOf(frame.data), { type: 'deleted', messageId });
          // One less to read, if it was not read: only the server knows.
          if (senderId !== me) void queryClient.invalidateQueries({ queryKey: unreadKey(me) });
          return;
        }
        case 'private_messages_read':
          return changeUnread(me, (counts) => noneOf(counts, frame.data.friendId));
        case 'typing':
          return frame.data.senderId === undefined ? undefined : showTyping(frame.data.senderId, true);
        case 'friendship_removed': {
          const { removedFriendId, removedBy } = frame.data;
          return forget(removedFriendId === me ? removedBy : removedFriendId);
        }
        default:
          return;
      }
    },

    /** What was begun to a friend and not sent. */
    draftOf: (friendId: number): string => drafts.of(friendId).text,
    /** Whether a message is among those that are loaded. */
    knows: (friendId: number, messageId: number): boolean =>
      userId !== undefined &&
      (conversations.known(userId, friendId)?.messages.some(({ id }) => id === messageId) ?? false),
    /** The person typed something: the friend is told, at most every two seconds (B02). */
    typed: (friendId: number): void => {
      if (outbox.mayTellTyping(String(friendId))) socket.send('typing', { receiverId: friendId });
    },
    /** Subscribes to friendships that have ended. */
    onParted: (listen: (friendId: number) => void): (() => void) => {
      partings.add(listen);
      return () => partings.delete(listen);
    },
    /** The server says that the two are no friends. */
    parted: forget,
    /** What is read is read in every list at once. */
    noneUnread: (friendId: number): void => {
      if (userId !== undefined) changeUnread(userId, (counts) => noneOf(counts, friendId));
    },
  };
};

export type PrivateChats = ReturnType<typeof createPrivateChat>;

export const privateChat = createPrivateChat({
  clock: { ...systemClock, now: serverNow },
  newId,
  queryClient,
});

export const usePrivateChat = privateChat.useStore;
