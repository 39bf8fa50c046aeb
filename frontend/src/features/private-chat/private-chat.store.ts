import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { parseImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { privateReactionSchema } from '@thaw/contract/private-chat';
import { idSchema, timestampSchema, type MessageType } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { create } from 'zustand';
import { unreadKey } from '@/features/private-chat/api/private-messages';
import { toggled, type KnownMessage } from '@/features/private-chat/conversation';
import { Conversations } from '@/features/private-chat/conversations';
import { Drafts } from '@/features/private-chat/drafts';
import {
  allFailed,
  readOutbox,
  withDelivery,
  without,
  writeOutbox,
  type Outbox,
  type OutgoingMessage,
} from '@/features/private-chat/outgoing';
import { noneOf, oneMore, unreadStorageKey, type UnreadCounts } from '@/features/private-chat/unread';
import { systemClock, type Clock } from '@/lib/clock';
import { currentUser } from '@/lib/identity';
import { newId } from '@/lib/new-id';
import { queryClient } from '@/lib/query-client';
import { disconnected, type FeatureSocket } from '@/lib/socket/feature-socket';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { removeStored } from '@/lib/storage';

export interface Draft {
  content: string;
  type: MessageType;
  replyTo: OutgoingMessage['replyTo'];
}

export type Outcome = 'done' | 'not_connected';

export interface PrivateChatState {
  outbox: Outbox;
  /** Friends who are typing to me. */
  typing: readonly number[];
  /** The friend to whom the server asked for a pause; the text went back to the composer. */
  tooFastTo: number | null;
}

const sentAckSchema = z.object({ id: idSchema, createdAt: timestampSchema });
const reactionAckSchema = z.object({ reactions: z.array(privateReactionSchema) });

export interface PrivateChatOptions {
  clock: Clock;
  newId: () => string;
  queryClient: QueryClient;
}

/** True when it was taken. */
type Taker = (message: OutgoingMessage) => boolean;

/** The private chats with the commands of the screen; the conversations themselves stand in the query cache. */
export const createPrivateChat = ({ clock, newId, queryClient }: PrivateChatOptions) => {
  const nothing = (): PrivateChatState => ({ outbox: [], typing: [], tooFastTo: null });
  const useStore = create<PrivateChatState>()(nothing);
  const conversations = new Conversations(queryClient);
  const drafts = new Drafts();
  const takers = new Set<Taker>();
  const typingTimers = new Map<number, number>();
  const typedAt = new Map<number, number>();
  /** Under way on the present connection. */
  const underWay = new Set<string>();
  let socket = disconnected;
  let userId: number | undefined;
  let slowDownTimer: number | undefined;

  const setOutbox = (outbox: Outbox): void => {
    if (outbox === useStore.getState().outbox) return;
    useStore.setState({ outbox });
    if (userId !== undefined) writeOutbox(userId, outbox);
  };
  const outgoing = (clientId: string): OutgoingMessage | undefined =>
    useStore.getState().outbox.find((message) => message.clientId === clientId);
  const isMine = (me: number): boolean => me === userId;

  const changeUnread = (me: number, to: (counts: UnreadCounts) => UnreadCounts): void => {
    const key = unreadKey(me);
    // An answer under way may have been given before.
    const isAsking = queryClient.isFetching({ queryKey: key }) > 0;
    queryClient.setQueryData<UnreadCounts>(key, (counts) => counts && to(counts));
    if (isAsking) void queryClient.invalidateQueries({ queryKey: key });
  };

  const acknowledged = (me: number, message: OutgoingMessage, data: unknown): void => {
    const ack = sentAckSchema.safeParse(data);
    if (!ack.success) return setOutbox(withDelivery(useStore.getState().outbox, message.clientId, 'failed'));
    const { friendId, content, type, replyTo, clientId } = message;
    conversations.change(me, friendId, {
      type: 'sent',
      message: {
        ...ack.data,
        senderId: me,
        receiverId: friendId,
        content,
        type,
        isEdited: false,
        isDeleted: false,
        reactions: [],
        metadata: { replyTo },
        clientId,
      },
    });
    setOutbox(without(useStore.getState().outbox, clientId));
  };

  const takeBack = (message: OutgoingMessage, retryAfterMs = 1_000): void => {
    setOutbox(without(useStore.getState().outbox, message.clientId));
    const isTaken = [...takers].some((take) => take(message));
    if (!isTaken) drafts.putBefore(message.friendId, parseImageMarkers(message.content).text);
    useStore.setState({ tooFastTo: message.friendId });
    clock.clearTimeout(slowDownTimer);
    slowDownTimer = clock.setTimeout(() => useStore.setState({ tooFastTo: null }), retryAfterMs);
  };

  const deliver = (me: number, message: OutgoingMessage): void => {
    const { clientId, friendId, content, type, replyTo } = message;
    underWay.add(clientId);
    socket
      .request(
        'send_private_message',
        {
          senderId: me,
          receiverId: friendId,
          content,
          messageType: type,
          ...(replyTo ? { replyTo: { id: replyTo.id } } : {}),
          clientId,
        },
        { onAck: (data) => (isMine(me) ? acknowledged(me, message, data) : undefined) },
      )
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        if (!isMine(me) || !outgoing(clientId)) return;
        // Cut off on the way: sent again with the same clientId once the connection is back.
        if (error.failure === 'closed' || error.failure === 'not_connected') return;
        if (error.code === 'not_friends') return forget(me, friendId);
        if (error.code === 'rate_limited') return takeBack(message, error.retryAfterMs);
        setOutbox(withDelivery(useStore.getState().outbox, clientId, 'failed'));
      })
      .finally(() => underWay.delete(clientId));
  };

  const deliverAll = (): void => {
    if (userId === undefined || !socket.isOpen) return;
    for (const message of useStore.getState().outbox) {
      if (message.delivery === 'sending' && !underWay.has(message.clientId)) deliver(userId, message);
    }
  };

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
      clock.setTimeout(() => showTyping(friendId, false), limits.typingShownMs),
    );
  };

  const arrived = (me: number, message: KnownMessage): void => {
    const isOwn = message.senderId === me;
    const friendId = isOwn ? message.receiverId : message.senderId;
    conversations.change(me, friendId, { type: 'sent', message });
    if (isOwn) {
      // The ack was lost, or another tab has sent the same.
      if (message.clientId !== undefined) setOutbox(without(useStore.getState().outbox, message.clientId));
      return;
    }
    showTyping(friendId, false);
    changeUnread(me, (counts) => oneMore(counts, friendId));
  };

  /** No longer friends: nothing of the two stays here (A127). */
  const forget = (me: number, friendId: number): void => {
    conversations.forget(me, friendId);
    drafts.forget(friendId);
    showTyping(friendId, false);
    changeUnread(me, (counts) => noneOf(counts, friendId));
    setOutbox(useStore.getState().outbox.filter((message) => message.friendId !== friendId));
    for (const listen of partings) listen(friendId);
  };
  const partings = new Set<(friendId: number) => void>();

  /** Asks for a change of one message; what the server refuses is read again as it is there. */
  const ask = async <E extends ClientEvent>(
    friendId: number,
    event: E,
    data: ClientInput<E>,
    onAck: (ack: Record<string, unknown>) => void,
  ): Promise<boolean> => {
    const me = userId;
    try {
      await socket.request(event, data, { onAck: (ack) => (me === userId ? onAck(ack) : undefined) });
      return true;
    } catch (error) {
      if (!(error instanceof SocketRequestError)) throw error;
      if (me === undefined || me !== userId) return false;
      if (error.code === 'not_friends') forget(me, friendId);
      else conversations.reread(me, friendId);
      return false;
    }
  };

  return {
    useStore,
    conversations,
    drafts,
    connect: (given: FeatureSocket): void => {
      socket = given;
    },
    /** Another person at this page: nothing of the one before stays. */
    reset: (): void => {
      const next = currentUser()?.id;
      for (const timer of typingTimers.values()) clock.clearTimeout(timer);
      typingTimers.clear();
      typedAt.clear();
      underWay.clear();
      if (userId !== undefined && userId !== next) {
        writeOutbox(userId, []);
        removeStored(unreadStorageKey(userId));
        drafts.erase();
      }
      userId = next;
      drafts.open(next);
      useStore.setState({ ...nothing(), outbox: next === undefined ? [] : readOutbox(next) });
    },
    /** The connection is there: what was cut off, or left by a reload, is sent again. */
    connected: deliverAll,
    connectionGivenUp: (): void => setOutbox(allFailed(useStore.getState().outbox)),
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
          return forget(me, removedFriendId === me ? removedBy : removedFriendId);
        }
        default:
          return;
      }
    },

    /** What was begun to a friend and not sent. */
    draftOf: (friendId: number): string => drafts.of(friendId),
    canSend: (): boolean => userId !== undefined && socket.isOpen,
    /** Whether a message is among those that are loaded. */
    knows: (friendId: number, messageId: number): boolean =>
      userId !== undefined &&
      (conversations.known(userId, friendId)?.messages.some(({ id }) => id === messageId) ?? false),
    /** Not sent, and the caller keeps the text, while there is no connection (A114). */
    say: (friendId: number, { content, type, replyTo }: Draft): Outcome => {
      if (userId === undefined || !socket.isOpen) {
        console.warn('Not connected: the message was not sent');
        return 'not_connected';
      }
      const message: OutgoingMessage = {
        clientId: newId(),
        friendId,
        content,
        type,
        replyTo,
        at: clock.now(),
        delivery: 'sending',
      };
      typedAt.delete(friendId);
      setOutbox([...useStore.getState().outbox, message]);
      deliver(userId, message);
      return 'done';
    },
    retry: (clientId: string): Outcome => {
      if (!socket.isOpen) return 'not_connected';
      setOutbox(withDelivery(useStore.getState().outbox, clientId, 'sending'));
      deliverAll();
      return 'done';
    },
    /** Resolves to whether the new text is stored. */
    edit: async (friendId: number, messageId: number, newContent: string): Promise<boolean> => {
      const me = userId;
      if (me === undefined || !socket.isOpen) return false;
      const data = { messageId, newContent, senderId: me, receiverId: friendId };
      return ask(friendId, 'edit_private_message', data, () =>
        conversations.change(me, friendId, { type: 'edited', messageId, newContent }),
      );
    },
    /** Shown at once; the server's answer is what stays. */
    react: (friendId: number, messageId: number, emoji: string): Outcome => {
      const me = userId;
      if (me === undefined || !socket.isOpen) return 'not_connected';
      const message = conversations.known(me, friendId)?.messages.find(({ id }) => id === messageId);
      if (!message) return 'done';
      const reactions = toggled(message.reactions, emoji, me);
      conversations.change(me, friendId, { type: 'reacted', messageId, reactions });
      const data = { messageId, emoji, userId: me, receiverId: friendId };
      void ask(friendId, 'react_private_message', data, (given) => {
        const ack = reactionAckSchema.safeParse(given);
        if (!ack.success) return conversations.reread(me, friendId);
        conversations.change(me, friendId, { type: 'reacted', messageId, reactions: ack.data.reactions });
      });
      return 'done';
    },
    remove: (friendId: number, messageId: number): Outcome => {
      const me = userId;
      if (me === undefined || !socket.isOpen) return 'not_connected';
      const data = { messageId, senderId: me, receiverId: friendId };
      void ask(friendId, 'delete_private_message', data, () =>
        conversations.change(me, friendId, { type: 'deleted', messageId }),
      );
      return 'done';
    },
    /** The person typed something: the friend is told, at most every two seconds (B02). */
    typed: (friendId: number): void => {
      const now = clock.now();
      if (!socket.isOpen || now - (typedAt.get(friendId) ?? -Infinity) < limits.typingEveryMs) return;
      typedAt.set(friendId, now);
      socket.send('typing', { receiverId: friendId });
    },
    /** Subscribes to messages that the server did not take for now (A90). */
    onReturned: (take: Taker): (() => void) => {
      takers.add(take);
      return () => takers.delete(take);
    },
    /** Subscribes to friendships that have ended. */
    onParted: (listen: (friendId: number) => void): (() => void) => {
      partings.add(listen);
      return () => partings.delete(listen);
    },
    /** The server says that the two are no friends. */
    parted: (friendId: number): void => {
      if (userId !== undefined) forget(userId, friendId);
    },
    /** What is read is read in every list at once. */
    noneUnread: (friendId: number): void => {
      if (userId !== undefined) changeUnread(userId, (counts) => noneOf(counts, friendId));
    },
  };
};

export const privateChat = createPrivateChat({ clock: systemClock, newId, queryClient });

export const usePrivateChat = privateChat.useStore;
