import { useMemo } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type Outbox } from '@/chat-ui/outbox/outbox';
import { type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';

/** Caches the row of each message, so that unchanged messages are not rendered again. */
const rowCache = new WeakMap<OutgoingMessage, ChatMessage>();

const toRow = (message: OutgoingMessage, senderId: number): ChatMessage => {
  const { clientId, content, type, replyTo, at, state, picture } = message;
  const cached = rowCache.get(message);
  if (cached?.senderId === senderId) return cached;
  const row: ChatMessage = {
    id: clientId,
    key: clientId,
    clientId,
    senderId,
    content,
    type,
    timestamp: at,
    replyTo,
    reactions: {},
    isEdited: false,
    delivery: state === 'uploading' || state === 'sending' ? 'sending' : 'failed',
    ...(picture
      ? {
          picture: {
            previewUrl: picture.previewUrl,
            percent: state === 'uploading' ? picture.percent : null,
          },
        }
      : {}),
  };
  rowCache.set(message, row);
  return row;
};

/** The rows of a conversation: the stored messages, followed by those in the outbox. */
export const useRowsWithOutgoing = (
  stored: readonly ChatMessage[],
  outbox: Outbox,
  conversationId: string,
  ownId: number,
): readonly ChatMessage[] => {
  const outboxMessages = outbox.useStore((state) => state.messages);
  return useMemo(() => {
    const outgoing = outboxMessages.filter((message) => message.conversationId === conversationId);
    if (outgoing.length === 0) return stored;
    // The frame of a stored message may arrive before its ack; then the message is in both lists. The key of the user's
    // own stored message is its client id.
    const storedKeys = new Set(stored.map(({ key }) => key));
    return [
      ...stored,
      ...outgoing.filter(({ clientId }) => !storedKeys.has(clientId)).map((message) => toRow(message, ownId)),
    ];
  }, [stored, outboxMessages, conversationId, ownId]);
};
