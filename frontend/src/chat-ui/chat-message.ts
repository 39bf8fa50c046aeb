import { type Reactions, type ReplyTo } from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID, type MessageType } from '@thaw/contract/scalars';
import { type Attachment } from '@/chat-ui/attachment';
import { pageLimits } from '@/lib/page-limits';

export type Delivery = 'sending' | 'sent' | 'failed';

/** Marks a row that a feature renders itself; the chat knows nothing else of it. */
export interface MessageCard {
  kind: string;
  /** The feature announces it; the chat does not read its `content` aloud. */
  isSilent?: boolean;
}

/** One row of a conversation, as the chat components know it. */
export interface ChatMessage {
  /** The server's id; the client's own until the server has given one. */
  id: string;
  /** Stays the same from `sending` to `sent`. */
  key: string;
  clientId?: string;
  /** Its place in the stream of a random chat; what is on its way has none yet. */
  seq?: number;
  /** 0: a system notice. */
  senderId: number;
  content: string;
  type: MessageType;
  /** Milliseconds since the epoch. */
  timestamp: number;
  replyTo: ReplyTo | null;
  reactions: Reactions;
  isEdited: boolean;
  /** Only its place is left (private chat). */
  isDeleted?: boolean;
  card?: MessageCard;
  delivery: Delivery;
  /** A picture of mine that the server has not acknowledged; `content` is its caption. */
  picture?: {
    previewUrl: string;
    /** How much of it is uploaded; null when none is under way. */
    percent: number | null;
  };
}

/** What the composer hands over: a text or a picture, or both. */
export interface Outgoing {
  text: string;
  attachment: Attachment | null;
  replyTo: ReplyTo | null;
}

/** What was not sent after all: it goes back into the composer. */
export type Returned = Outgoing;

export const isCard = (message: ChatMessage): boolean => message.card !== undefined;

export const isNotice = (message: ChatMessage): boolean => message.senderId === SYSTEM_SENDER_ID;

/** In the stream, said by somebody and still there: what can be answered and reacted to (A112). */
export const canBeReactedTo = (message: ChatMessage): boolean =>
  message.delivery === 'sent' && !isNotice(message) && !isCard(message) && !message.isDeleted;

/** What its sender may edit: text alone (A102). */
export const isOwnText = (message: ChatMessage, me: number): boolean =>
  message.senderId === me && message.type === 'text' && canBeReactedTo(message);

const continues = (earlier: ChatMessage | undefined, later: ChatMessage): boolean =>
  earlier !== undefined &&
  !isNotice(later) &&
  !isCard(earlier) &&
  !isCard(later) &&
  earlier.senderId === later.senderId &&
  later.timestamp - earlier.timestamp <= pageLimits.messageGroupGapMs;

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
  message.type === 'text' &&
  !message.isDeleted &&
  message.content.length <= 64 &&
  emojiOnly.test(message.content);
