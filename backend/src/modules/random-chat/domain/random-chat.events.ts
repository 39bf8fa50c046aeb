import type { ReactionEmoji } from '@thaw/contract/emojis';
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

export interface MessageEdited {
  type: 'MessageEdited';
  data: { messageId: string; editorId: number; content: string };
}

export interface ReactionAdded {
  type: 'ReactionAdded';
  data: { messageId: string; emoji: ReactionEmoji; userId: number };
}

export interface ReactionRemoved {
  type: 'ReactionRemoved';
  data: { messageId: string; emoji: ReactionEmoji; userId: number };
}

/** A game of Break the Ice: one question, an answer of each, and then both see them. */
export interface GameStarted {
  type: 'GameStarted';
  data: { gameId: string; questionId: number; initiatorId: number };
}

/** The first answer. It is nobody's business until there are two. */
export interface GameAnswered {
  type: 'GameAnswered';
  data: { gameId: string; userId: number; response: string };
}

/** The second answer, and with it the end of the game. */
export interface GameRevealed {
  type: 'GameRevealed';
  data: { gameId: string; questionId: number; answers: readonly { userId: number; response: string }[] };
}

export interface GameIgnored {
  type: 'GameIgnored';
  data: { gameId: string; userId: number };
}

/** `aborted`: nobody ever saw the chat, because its match was taken back meanwhile. */
export type ChatEndReason = 'skipped' | 'disconnected' | 'aborted';

export interface ChatEnded {
  type: 'ChatEnded';
  data: { reason: ChatEndReason; endedBy: number | null };
}

export type RandomChatEvent =
  | ChatStarted
  | MessageSent
  | MessageEdited
  | ReactionAdded
  | ReactionRemoved
  | GameStarted
  | GameAnswered
  | GameRevealed
  | GameIgnored
  | ChatEnded;

/** Where an event stands in its chat's stream. */
export interface EventPosition {
  /** Stream entry id, `<epoch ms>-<n>`: the id of a message. */
  id: string;
  /** Version of the chat once the event has happened, from 1. */
  seq: number;
}

/** Epoch ms; digit by digit, since it is read for every event and `Number` of a part of a string is slow. */
export const occurredAtMs = ({ id }: Pick<EventPosition, 'id'>): number => {
  let ms = 0;
  for (let index = 0; ; index += 1) {
    const digit = id.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return ms;
    ms = ms * 10 + digit;
  }
};

/** Negative when the first is of an earlier event, positive when of a later one. */
export const comparePositionIds = (first: string, second: string): number =>
  occurredAtMs({ id: first }) - occurredAtMs({ id: second }) || withinMs(first) - withinMs(second);

/** The events of one millisecond are numbered. */
const withinMs = (id: string): number => Number(id.slice(id.indexOf('-') + 1));

/** The durable stream of a chat. */
export const chatStream = (sessionId: string): string => `chat-${sessionId}`;
