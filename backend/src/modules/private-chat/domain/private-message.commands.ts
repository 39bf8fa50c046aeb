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
  clientId: string | null;
};

/** A change to a message by one of the two users of its conversation. */
type Change<Type extends string> = Command<Type> & { userId: number; friendId: number };

export type EditPrivateMessage = Change<'EditPrivateMessage'> & { content: string };
export type ReactToPrivateMessage = Change<'ReactToPrivateMessage'> & {
  emoji: string;
  /** The same for every retry of a frame; null for a frame that cannot be retried. */
  attempt: string | null;
};
export type DeletePrivateMessage = Change<'DeletePrivateMessage'>;

export type PrivateMessageCommand =
  SendPrivateMessage | EditPrivateMessage | ReactToPrivateMessage | DeletePrivateMessage;
