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
    /** The message replied to. The quote is looked up when shown, never stored twice. */
    replyToId: number | null;
    /** Chosen by the client; retries of the message repeat it. Absent once erased. */
    clientId?: string | null;
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
  /**
   * Fingerprint of the frame's `ref`, which identifies retries. Absent for frames without one and in events of earlier
   * releases.
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
