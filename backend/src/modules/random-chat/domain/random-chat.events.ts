import type { MessageType } from '@thaw/contract/scalars';
import type { ReplyTo } from '@thaw/contract/random-chat';

/** Somebody in a chat, as the partner is introduced to him. */
export interface Participant {
  id: number;
  username: string;
  avatar: string | null;
}

export interface ChatStarted {
  type: 'ChatStarted';
  data: {
    userIds: readonly [number, number];
    /** As they were when they met. */
    participants: readonly [Participant, Participant];
  };
}

export interface MessageSent {
  type: 'MessageSent';
  data: {
    senderId: number;
    content: string;
    messageType: MessageType;
    replyTo: ReplyTo | null;
    /** The client's own name for the message: a retry carries it again. */
    clientId: string | null;
  };
}

/** `aborted`: nobody ever saw the chat, because its match was taken back meanwhile. */
export type ChatEndReason = 'skipped' | 'disconnected' | 'aborted';

export interface ChatEnded {
  type: 'ChatEnded';
  data: { reason: ChatEndReason; endedBy: number | null };
}

export type RandomChatEvent = ChatStarted | MessageSent | ChatEnded;

/** Where an event stands in its chat's stream. */
export interface EventPosition {
  /** Stream entry id, `<epoch ms>-<n>`: the id of a message. */
  id: string;
  /** Version of the chat once the event has happened, from 1. */
  seq: number;
}

export const occurredAt = ({ id }: EventPosition): Date => new Date(Number(id.slice(0, id.indexOf('-'))));
