import type { MessageType } from '@thaw/contract/scalars';

interface Command<Type extends string> {
  type: Type;
  messageId: number;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
}

export type SendPrivateMessage = Command<'SendPrivateMessage'> & {
  senderId: number;
  receiverId: number;
  messageType: MessageType;
  content: string;
  replyToId: number | null;
  /** Id that the client chose for the message and repeats in retries; null if it chose none. */
  clientId: string | null;
};

/** A change to a message by a user. `friendId`: the other user of the conversation. */
type Change<Type extends string> = Command<Type> & { userId: number; friendId: number };

export type EditPrivateMessage = Change<'EditPrivateMessage'> & { content: string };
/** Adds the reaction, or removes an existing one. `refFingerprint` prevents a retry from undoing this. */
export type ReactToPrivateMessage = Change<'ReactToPrivateMessage'> & {
  emoji: string;
  /** Hash of the frame's `ref`, which a client repeats in retries of the frame; null for a frame without a `ref`. */
  refFingerprint: string | null;
};
export type DeletePrivateMessage = Change<'DeletePrivateMessage'>;

export type PrivateMessageCommand =
  SendPrivateMessage | EditPrivateMessage | ReactToPrivateMessage | DeletePrivateMessage;
