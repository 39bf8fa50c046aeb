import { randomMessageAckSchema } from '@thaw/contract/acks';
import { prependReturned } from '@/chat-ui/composer/draft';
import { createOutbox, type Outbox } from '@/chat-ui/outbox/outbox';
import { toWireContent } from '@/chat-ui/outbox/outgoing-message';
import { type Action } from '@/features/random-chat/reducer/random-chat.state';
import { writeDraft, readDraft } from '@/features/random-chat/stores/draft';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { type Clock } from '@/lib/clock';
import { type SocketRequestError } from '@/lib/socket/socket-request-error';
import { currentUser } from '@/product/identity';

/** Whether a command was refused because its chat has ended. A resync then fetches the end, which the page missed. */
export const isChatEndedError = ({ code }: SocketRequestError): boolean =>
  code === 'session_ended' || code === 'not_in_session';

export interface RandomOutboxOptions {
  clock: Clock;
  newId: () => string;
  getSocket: () => RandomChatSocket;
  dispatch: (action: Action) => void;
}

/** The outbox of random chats, whose conversation ids are session ids. `randomChat` empties it when a chat ends. */
export const createRandomOutbox = ({ clock, newId, getSocket, dispatch }: RandomOutboxOptions): Outbox =>
  createOutbox({
    clock,
    newId,
    getStorageKey: (userId) => `thaw-outgoing-random-${userId}`,
    isConnected: () => getSocket().isOpen,
    send: (message, onAck) =>
      getSocket().request(
        'random_message',
        {
          sessionId: message.conversationId,
          content: toWireContent(message),
          messageType: message.type,
          clientId: message.clientId,
          ...(message.replyTo ? { replyTo: { messageId: message.replyTo.messageId } } : {}),
        },
        { onAck },
      ),
    handleAck: (message, data) => {
      const ack = randomMessageAckSchema.safeParse(data);
      const me = currentUser();
      if (!ack.success || !me) return false; // the outbox marks the message as refused
      const { conversationId: sessionId, clientId, type, replyTo } = message;
      const sentMessage = { clientId, senderId: me.id, content: toWireContent(message), type, replyTo };
      dispatch({ type: 'messageAcknowledged', sessionId, message: sentMessage, ack: ack.data });
      return true;
    },
    onRefused: (_message, error) => {
      if (isChatEndedError(error)) getSocket().resync();
    },
    // The code for uploads is loaded with the first picture.
    upload: async (file, options) => {
      const { uploadChatImage } = await import('@/features/random-chat/api/upload-chat-image');
      return uploadChatImage(file, options);
    },
    // While no composer is mounted, an unsent message that the outbox returns is added to the stored draft.
    onReturnedWithoutComposer: (sessionId, returned) =>
      writeDraft(sessionId, prependReturned(readDraft(sessionId), returned)),
    // A reload has lost the file of the picture; the draft records that there was one.
    onPictureLost: (sessionId, returned) =>
      writeDraft(sessionId, { ...prependReturned(readDraft(sessionId), returned), hasPicture: true }),
  });
