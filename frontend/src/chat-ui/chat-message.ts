import { limits } from '@thaw/contract/limits';
import { type ReplyTo } from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID, type MessageType } from '@thaw/contract/scalars';

export type Delivery = 'sending' | 'sent' | 'failed';

/** One row of a conversation, as the chat components know it. */
export interface ChatMessage {
  /** The server's id; the client's own until the server has given one. */
  id: string;
  /** Stays the same from `sending` to `sent`. */
  key: string;
  /** 0: a system notice. */
  senderId: number;
  content: string;
  type: MessageType;
  /** Milliseconds since the epoch. */
  timestamp: number;
  replyTo: ReplyTo | null;
  delivery: Delivery;
  clientId?: string;
}

export const isNotice = (message: ChatMessage): boolean => message.senderId === SYSTEM_SENDER_ID;

const continues = (earlier: ChatMessage | undefined, later: ChatMessage): boolean =>
  earlier !== undefined &&
  !isNotice(later) &&
  earlier.senderId === later.senderId &&
  later.timestamp - earlier.timestamp <= limits.messageGroupGapMs;

export interface GroupPosition {
  isFirst: boolean;
  isLast: boolean;
}

/** Where a message stands in its group: the same sender, within five minutes of the one before. */
export const positionInGroup = (messages: readonly ChatMessage[], index: number): GroupPosition => {
  const message = messages[index];
  if (!message) return { isFirst: true, isLast: true };
  const next = messages[index + 1];
  return {
    isFirst: !continues(messages[index - 1], message),
    isLast: next === undefined || !continues(message, next),
  };
};

const emojiOnly =
  /^(?:(?:\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*)\s*){1,3}$/u;

/** One to three emojis alone are shown large, without a bubble. */
export const isLargeEmoji = (message: ChatMessage): boolean =>
  message.type === 'text' && message.content.length <= 64 && emojiOnly.test(message.content);
