import { type Reactions, type ReplyTo } from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID, type MessageType } from '@thaw/contract/scalars';
import { type Attachment } from '@/chat-ui/composer/attachment';
import { pageLimits } from '@/lib/page-limits';

export type Delivery = 'sending' | 'sent' | 'failed';

/** Marks a row that a feature renders itself. */
export interface MessageCard {
  kind: string;
  /** The feature announces the row itself; the chat does not announce its `content`. */
  isSilent?: boolean;
}

/** One row of a conversation. */
export interface ChatMessage {
  /** The server's id; before the acknowledgement, the client's own. */
  id: string;
  /** Does not change when the message goes from `sending` to `sent`. */
  key: string;
  clientId?: string;
  /** Version in the stream of a random chat; absent until acknowledged. */
  seq?: number;
  /** 0 for a system notice. */
  senderId: number;
  content: string;
  type: MessageType;
  /** In ms since the epoch. */
  timestamp: number;
  replyTo: ReplyTo | null;
  reactions: Reactions;
  isEdited: boolean;
  /** Deleted; only a placeholder is left (private chat). */
  isDeleted?: boolean;
  card?: MessageCard;
  delivery: Delivery;
  /** The user's own picture before the acknowledgement; `content` is its caption. */
  picture?: {
    previewUrl: string;
    /** Upload progress in percent; null when no upload is running. */
    percent: number | null;
  };
}

/** What the composer sends: a text, a picture, or both. */
export interface Outgoing {
  text: string;
  attachment: Attachment | null;
  replyTo: ReplyTo | null;
}

/** A message that was not sent and is returned to the composer. */
export type ReturnedMessage = Outgoing;

export const isCard = (message: ChatMessage): boolean => message.card !== undefined;

export const isNotice = (message: ChatMessage): boolean => message.senderId === SYSTEM_SENDER_ID;

/**
 * Whether a message is stored, was written by a user and is not deleted. Such messages can be replied and reacted to
 * (A112).
 */
export const canBeReactedTo = (message: ChatMessage): boolean =>
  message.delivery === 'sent' && !isNotice(message) && !isCard(message) && !message.isDeleted;

/** Whether the user may edit the message: only their own text can be edited (A102). */
export const isOwnText = (message: ChatMessage, me: number): boolean =>
  message.senderId === me && message.type === 'text' && canBeReactedTo(message);

const isSameGroup = (earlier: ChatMessage | undefined, later: ChatMessage): boolean =>
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

/** Position of a message in its group: messages of one sender, each within five minutes of the previous one. */
export const findPositionInGroup = (messages: readonly ChatMessage[], index: number): GroupPosition => {
  const message = messages[index];
  if (!message) return { isFirst: true, isLast: true };
  const next = messages[index + 1];
  return {
    isFirst: !isSameGroup(messages[index - 1], message),
    isLast: next === undefined || !isSameGroup(message, next),
  };
};

/**
 * Upper limit for three emojis, each of several code points, in UTF-16 code units. Longer texts are not tested, because
 * the pattern is expensive.
 */
const MAX_LENGTH_OF_EMOJIS = 64;
const oneToThreeEmojis =
  /^(?:(?:\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*)\s*){1,3}$/u;

/** Whether a message consists of one to three emojis, which are shown large and without a bubble. */
export const isLargeEmoji = (message: ChatMessage): boolean =>
  message.type === 'text' &&
  !message.isDeleted &&
  message.content.length <= MAX_LENGTH_OF_EMOJIS &&
  oneToThreeEmojis.test(message.content);
