import { useMemo } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type Outbox } from '@/chat-ui/outbox/outbox';
import { type OutgoingMessage } from '@/chat-ui/outbox/outgoing-message';

const createRow = (message: OutgoingMessage, senderId: number): ChatMessage => {
  const { clientId, content, type, replyTo, at, state, picture } = message;
  const isUploading = state === 'uploading';
  return {
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
    delivery: isUploading || state === 'sending' ? 'sending' : 'failed',
    ...(picture && {
      picture: { previewUrl: picture.previewUrl, percent: isUploading ? picture.percent : null },
    }),
  };
};

/** Unchanged messages keep their row, so that it is not rendered again. */
const rowCache = new WeakMap<OutgoingMessage, ChatMessage>();

const getRow = (message: OutgoingMessage, senderId: number): ChatMessage => {
  const cached = rowCache.get(message);
  if (cached?.senderId === senderId) return cached;
  const row = createRow(message, senderId);
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
    // A message is in both lists if it arrives as stored before its ack. The key of its stored row is its client id.
    const storedKeys = new Set(stored.map(({ key }) => key));
    const notStored = outgoing.filter(({ clientId }) => !storedKeys.has(clientId));
    return [...stored, ...notStored.map((message) => getRow(message, ownId))];
  }, [stored, outboxMessages, conversationId, ownId]);
};
