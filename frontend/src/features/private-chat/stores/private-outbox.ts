import { idSchema, timestampSchema } from '@thaw/contract/scalars';
import * as z from 'zod/mini';
import { prependReturned } from '@/chat-ui/composer/draft';
import { createOutbox, type Outbox } from '@/chat-ui/outbox/outbox';
import { toWireContent, type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';
import { type KnownMessage } from '@/features/private-chat/conversation';
import { type Drafts } from '@/features/private-chat/stores/drafts';
import { type Clock } from '@/lib/clock';
import { type FeatureSocket } from '@/lib/socket/feature-socket';

/** The server's response to a stored message. */
const sentAckSchema = z.object({ id: idSchema, createdAt: timestampSchema });

/** Converts a message of the user that the server has acknowledged. */
const toKnownMessage = (
  message: OutgoingMessage,
  { id, createdAt }: z.infer<typeof sentAckSchema>,
  senderId: number,
): KnownMessage => {
  const { conversationId, type, replyTo, clientId } = message;
  return {
    id,
    createdAt,
    senderId,
    receiverId: Number(conversationId),
    content: toWireContent(message),
    type,
    isEdited: false,
    isDeleted: false,
    reactions: [],
    metadata: {
      replyTo: replyTo && {
        id: Number(replyTo.messageId),
        content: replyTo.content,
        senderId: replyTo.senderId,
        senderName: replyTo.senderName,
      },
    },
    clientId,
  };
};

export interface PrivateOutboxOptions {
  clock: Clock;
  newId: () => string;
  getSocket: () => FeatureSocket;
  getUserId: () => number | undefined;
  drafts: Drafts;
  /** Called with a message that the server has acknowledged. */
  onStored: (message: KnownMessage) => void;
  /** Called when the server refuses a message because the users are not friends. */
  onNotFriends: (friendId: number) => void;
}

/**
 * Creates the outbox of the private chats, which holds the user's messages until the server acknowledges them. The id
 * of a conversation is that of the friend.
 */
export const createPrivateOutbox = ({
  clock,
  newId,
  getSocket,
  getUserId,
  drafts,
  onStored,
  onNotFriends,
}: PrivateOutboxOptions): Outbox =>
  createOutbox({
    clock,
    newId,
    getStorageKey: (userId) => `thaw-outgoing-${userId}`,
    isConnected: () => getUserId() !== undefined && getSocket().isOpen,
    send: (message, onAck) =>
      getSocket().request(
        'send_private_message',
        {
          // Nothing is sent without a user (see `isConnected`), so the fallback is never sent.
          senderId: getUserId() ?? 0,
          receiverId: Number(message.conversationId),
          content: toWireContent(message),
          messageType: message.type,
          ...(message.replyTo ? { replyTo: { id: Number(message.replyTo.messageId) } } : {}),
          clientId: message.clientId,
        },
        { onAck },
      ),
    handleAck: (message, data) => {
      const ack = sentAckSchema.safeParse(data);
      const senderId = getUserId();
      if (!ack.success || senderId === undefined) return false; // the outbox marks the message as refused
      onStored(toKnownMessage(message, ack.data, senderId));
      return true;
    },
    onRefused: ({ conversationId }, error) => {
      if (error.code === 'not_friends') onNotFriends(Number(conversationId));
    },
    // The code for uploads is loaded with the first picture.
    upload: async (file, options) => {
      const { uploadPrivatePicture } = await import('@/features/private-chat/api/upload-private-picture');
      return uploadPrivatePicture(file, options);
    },
    // While the chat is closed, an unsent message that the outbox returns is added to the draft.
    onReturnedWithoutComposer: (conversationId, returned) => {
      const friendId = Number(conversationId);
      drafts.set(friendId, prependReturned(drafts.get(friendId), returned));
    },
    // A reload has lost the file of the picture; the draft records that there was one.
    onPictureLost: (conversationId, returned) => {
      const friendId = Number(conversationId);
      drafts.set(friendId, { ...prependReturned(drafts.get(friendId), returned), hasPicture: true });
    },
  });
