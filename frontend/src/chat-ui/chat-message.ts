import { type Reactions, type ReplyTo } from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID, type MessageType } from '@thaw/contract/scalars';
import { type Attachment } from '@/chat-ui/composer/attachment';
import { pageLimits } from '@/lib/page-limits';

export type Delivery = 'sending' | 'sent' | 'failed';

/** Marks a row that a feature renders itself, such as a question of a game. */
export interface MessageCard {
  kind: string;
  /** The feature announces the row itself; the chat does not announce its `content`. */
  isSilent?: boolean;
}

/** One row of a conversation. */
export interface ChatMessage {
  /** The id from the server; `clientId` before the server has acknowledged the message. */
  id: string;
  /** React key. Unlike `id`, it stays the same when the server acknowledges the message. */
  key: string;
  /** The id that the sender's page gave the message. */
  clientId?: string;
  /** Version in the event stream of a random chat; absent before the acknowledgement and in a private chat. */
  seq?: number;
  /** `SYSTEM_SENDER_ID` for a notice. */
  senderId: number;
  content: string;
  type: MessageType;
  /** In ms since the epoch. */
  timestamp: number;
  replyTo: ReplyTo | null;
  reactions: Reactions;
  isEdited: boolean;
  /** In a private chat: the message is deleted and only a placeholder is shown. */
  isDeleted?: boolean;
  card?: MessageCard;
  delivery: Delivery;
  /** The user's own picture, until the server acknowledges the message. Until then, `content` is only its caption. */
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

/** A message that was not sent and is returned to the composer, as the composer had submitted it. */
export type ReturnedMessage = Outgoing;

export const isCard = (message: ChatMessage): boolean => message.card !== undefined;

export const isNotice = (message: ChatMessage): boolean => message.senderId === SYSTEM_SENDER_ID;

/** Whether a message accepts reactions and replies: it is stored, not deleted, and no notice or card. */
export const canBeReactedTo = (message: ChatMessage): boolean =>
  message.delivery === 'sent' && !isNotice(message) && !isCard(message) && !message.isDeleted;

/** Whether the user may edit the message: only their own messages without a picture can be edited. */
export const canBeEdited = (message: ChatMessage, ownId: number): boolean =>
  message.senderId === ownId && message.type === 'text' && canBeReactedTo(message);

const canBeGrouped = (message: ChatMessage): boolean => !isNotice(message) && !isCard(message);

/** Whether two neighbours are in one group. A message at the start or end of the list has no neighbour there. */
const areInSameGroup = (earlier: ChatMessage | undefined, later: ChatMessage | undefined): boolean =>
  earlier !== undefined &&
  later !== undefined &&
  canBeGrouped(earlier) &&
  canBeGrouped(later) &&
  earlier.senderId === later.senderId &&
  later.timestamp - earlier.timestamp <= pageLimits.messageGroupGapMs;

export interface GroupPosition {
  isFirst: boolean;
  isLast: boolean;
}

/** Finds the position of a message in its group: messages of one sender, each within five minutes of the previous. */
export const findPositionInGroup = (messages: readonly ChatMessage[], index: number): GroupPosition => {
  const [previous, message, next] = [messages[index - 1], messages[index], messages[index + 1]];
  return { isFirst: !areInSameGroup(previous, message), isLast: !areInSameGroup(message, next) };
};

/** Enough for three emojis, in UTF-16 code units. A long text is not tested, because the pattern is expensive. */
const MAX_EMOJI_TEXT_LENGTH = 64;
const flag = String.raw`\p{Regional_Indicator}{2}`;
/** May have a skin tone, or be joined with others to one emoji (by U+200D). U+FE0F requests the display as an emoji. */
const pictograph = String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*`;
const oneToThreeEmojis = new RegExp(String.raw`^(?:(?:${flag}|${pictograph})\s*){1,3}$`, 'u');

/** Whether a message consists of one to three emojis, which are shown large and without a bubble. */
export const isLargeEmoji = (message: ChatMessage): boolean =>
  message.type === 'text' &&
  !message.isDeleted &&
  message.content.length <= MAX_EMOJI_TEXT_LENGTH &&
  oneToThreeEmojis.test(message.content);
