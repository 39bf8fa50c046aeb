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
    /** Absent once erased. */
    content?: string;
    /** The message to which this one replies. Its text is not stored here: it may be edited or deleted. */
    replyToId: number | null;
    /** The client's own id for the message, repeated in retries; null if it sent none. Absent once erased. */
    clientId?: string | null;
  }
>;
export type PrivateMessageEdited = RecordedEvent<
  'PrivateMessageEdited',
  {
    messageId: number;
    senderId: number;
    /** Absent once erased. */
    content?: string;
  }
>;

interface ReactionData {
  messageId: number;
  /** The user who added or removed the reaction. */
  userId: number;
  emoji: ReactionEmoji;
  /**
   * Fingerprint of the `ref` of the client's WebSocket frame. A retry repeats the `ref`, and thus the fingerprint.
   * Absent for frames without a `ref` and in events of earlier releases.
   */
  attempt?: string;
}
export type PrivateReactionAdded = RecordedEvent<'PrivateReactionAdded', ReactionData>;
export type PrivateReactionRemoved = RecordedEvent<'PrivateReactionRemoved', ReactionData>;

/** Deleted by its sender, for both users. The content is erased with it. */
export type PrivateMessageDeleted = RecordedEvent<
  'PrivateMessageDeleted',
  { messageId: number; senderId: number }
>;

/** All events of one private message, in the stream `private-<id>`. */
export type PrivateMessageEvent =
  | PrivateMessageSent
  | PrivateMessageEdited
  | PrivateReactionAdded
  | PrivateReactionRemoved
  | PrivateMessageDeleted;

export const buildPrivateMessageStreamId = (messageId: number): string => `private-${messageId}`;
