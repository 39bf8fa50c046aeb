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

/** The rows of a conversation: stored messages, then those in the outbox. */
export const useRowsWithOutgoing = (
  stored: readonly ChatMessage[],
  outbox: Outbox,
  conversationId: string,
  me: number,
): readonly ChatMessage[] => {
  const outgoing = outbox.useStore((state) => state.messages);
  return useMemo(() => {
    const own = outgoing.filter((message) => message.conversationId === conversationId);
    if (own.length === 0) return stored;
    // The frame of a stored message may arrive before its ack.
    const keys = new Set(stored.map(({ key }) => key));
    return [
      ...stored,
      ...own.filter(({ clientId }) => !keys.has(clientId)).map((message) => toRow(message, me)),
    ];
  }, [stored, outgoing, conversationId, me]);
};
