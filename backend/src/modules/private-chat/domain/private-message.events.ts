import type { ReactionEmoji } from '@thaw/contract/emojis';
import type { MessageType } from '@thaw/contract/scalars';

interface RecordedEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

export type PrivateMessageSent = RecordedEvent<
  'PrivateMessageSent',
  {
    messageId: number;
    senderId: number;
    receiverId: number;
    messageType: MessageType;
    /** Absent once it was erased. */
    content?: string;
    /** The message that it answers. What is shown of that is looked up, never kept twice. */
    replyToId: number | null;
    /** The client's own name for the message: a retry carries it again. */
    clientId: string | null;
  }
>;
export type PrivateMessageEdited = RecordedEvent<
  'PrivateMessageEdited',
  { messageId: number; senderId: number; content?: string }
>;

interface ReactionData {
  messageId: number;
  userId: number;
  emoji: ReactionEmoji;
  /** Fingerprint of the frame's `ref`, by which a retry is known; absent where there was none, and in earlier releases. */
  attempt?: string;
}
export type PrivateReactionAdded = RecordedEvent<'PrivateReactionAdded', ReactionData>;
export type PrivateReactionRemoved = RecordedEvent<'PrivateReactionRemoved', ReactionData>;

/** Deleted by its sender, for both. What it said is erased with it. */
export type PrivateMessageDeleted = RecordedEvent<
  'PrivateMessageDeleted',
  { messageId: number; senderId: number }
>;

/** The life of one private message, in the stream `private-<id>`. */
export type PrivateMessageEvent =
  | PrivateMessageSent
  | PrivateMessageEdited
  | PrivateReactionAdded
  | PrivateReactionRemoved
  | PrivateMessageDeleted;

export const privateMessageStream = (messageId: number): string => `private-${messageId}`;
