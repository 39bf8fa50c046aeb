import { idSchema, timestampSchema } from '@thaw/contract/scalars';
import * as z from 'zod/mini';
import { prependReturned } from '@/chat-ui/composer/draft';
import { createOutbox, type Outbox } from '@/chat-ui/outbox/outbox';
import { toWireContent } from '@/chat-ui/outbox/outgoing-message';
import { type KnownMessage } from '@/features/private-chat/conversation';
import { type Drafts } from '@/features/private-chat/stores/drafts';
import { type Clock } from '@/lib/clock';
import { type FeatureSocket } from '@/lib/socket/feature-socket';

const sentAckSchema = z.object({ id: idSchema, createdAt: timestampSchema });

export interface PrivateOutboxOptions {
  clock: Clock;
  newId: () => string;
  getSocket: () => FeatureSocket;
  getUserId: () => number | undefined;
  drafts: Drafts;
  onStored: (message: KnownMessage) => void;
  onNotFriends: (friendId: number) => void;
}

/** The outbox of the private chats; a conversation's id is the friend's. */
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
    storageKey: (id) => `thaw-outgoing-${id}`,
    isConnected: () => getUserId() !== undefined && getSocket().isOpen,
    send: (message, onAck) =>
      getSocket().request(
        'send_private_message',
        {
          senderId: getUserId() ?? 0,
          receiverId: Number(message.conversationId),
          content: toWireContent(message),
          messageType: message.type,
          ...(message.replyTo ? { replyTo: { id: Number(message.replyTo.messageId) } } : {}),
          clientId: message.clientId,
        },
        { onAck },
      ),
    onAck: (message, data) => {
      const ack = sentAckSchema.safeParse(data);
      const senderId = getUserId();
      if (!ack.success || senderId === undefined) return false;
      const { conversationId, type, replyTo, clientId } = message;
      onStored({
        ...ack.data,
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
      });
      return true;
    },
    onRefused: ({ conversationId }, error) => {
      if (error.code === 'not_friends') onNotFriends(Number(conversationId));
    },
    // Loaded with the first photo.
    upload: async (file, options) => {
      const { uploadPrivatePicture } = await import('@/features/private-chat/api/upload-private-picture');
      return uploadPrivatePicture(file, options);
    },
    onReturnedWithoutComposer: (conversationId, returned) => {
      const friendId = Number(conversationId);
      drafts.set(friendId, prependReturned(drafts.get(friendId), returned));
    },
    onPictureLost: (conversationId, returned) => {
      const friendId = Number(conversationId);
      drafts.set(friendId, { ...prependReturned(drafts.get(friendId), returned), hasPicture: true });
    },
  });
