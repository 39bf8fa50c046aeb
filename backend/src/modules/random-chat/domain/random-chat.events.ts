import type { ReactionEmoji } from '@thaw/contract/emojis';
import type { MessageType } from '@thaw/contract/scalars';
import type { ReplyTo } from '@thaw/contract/random-chat';

/** A participant, as shown to the partner. */
export interface Participant {
  id: number;
  username: string;
  /** URL of the profile picture. */
  avatar: string | null;
}

export interface ChatStarted {
  type: 'ChatStarted';
  data: {
    userIds: readonly [number, number];
    /** Names and avatars at the start of the chat. */
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
    /** Idempotency key chosen by the client: a retry has the same one. */
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

/** A game of Break the Ice: one question, one answer from each user, then both answers are revealed. */
export interface GameStarted {
  type: 'GameStarted';
  data: { gameId: string; questionId: number; initiatorId: number };
}

/** The first answer. It is not disclosed to the partner before the partner has answered, too. */
export interface GameAnswered {
  type: 'GameAnswered';
  data: { gameId: string; userId: number; response: string };
}

/** The second answer, which ends the game. */
export interface GameRevealed {
  type: 'GameRevealed';
  data: { gameId: string; questionId: number; answers: readonly { userId: number; response: string }[] };
}

export interface GameIgnored {
  type: 'GameIgnored';
  data: { gameId: string; userId: number };
}

/**
 * `aborted`: the match was cancelled before either user saw the chat. `removed`: the chat was ended for safety, which
 * its users see as a lost connection.
 */
export type ChatEndReason = 'skipped' | 'disconnected' | 'aborted' | 'removed';

/** Why a chat was ended for safety: a user stated that they are under 18. */
export interface ChatFinding {
  kind: 'stated_age';
  /** The user who stated the age. */
  userId: number;
  /**
   * The message whose edit states the age. Null for a new message, which has no id yet: it is stored as the event
   * directly before `ChatEnded`.
   */
  messageId: string | null;
}

export interface ChatEnded {
  type: 'ChatEnded';
  data: {
    reason: ChatEndReason;
    /** The user who skipped; null for every other reason. */
    endedBy: number | null;
    /** Set for the reason `removed`. */
    finding?: ChatFinding;
  };
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

/** The position of an event in its chat's stream. */
export interface EventPosition {
  /** Redis stream entry id, `<epoch ms>-<n>`. That of a MessageSent event is also the id of the message. */
  id: string;
  /** Version of the chat after the event, from 1. */
  seq: number;
}

const CODE_OF_0 = '0'.charCodeAt(0);

/**
 * When the event happened, in epoch ms. Parsed digit by digit: this runs for every event, and `Number` of a substring
 * is slow.
 */
export const parseOccurredAtMs = ({ id }: Pick<EventPosition, 'id'>): number => {
  let ms = 0;
  for (let index = 0; index < id.length; index += 1) {
    const digit = id.charCodeAt(index) - CODE_OF_0;
    if (digit < 0 || digit > 9) break; // the dash
    ms = ms * 10 + digit;
  }
  return ms;
};

/** Compares the ids of two positions: negative when the first is earlier, positive when it is later. */
export const comparePositionIds = (first: string, second: string): number => {
  const differenceMs = parseOccurredAtMs({ id: first }) - parseOccurredAtMs({ id: second });
  if (differenceMs !== 0) return differenceMs;
  return parseSequenceWithinMs(first) - parseSequenceWithinMs(second);
};

/** The number after the dash: the position among the entries of the same millisecond. */
const parseSequenceWithinMs = (id: string): number => Number(id.slice(id.indexOf('-') + 1));

/** Id of the chat's stream in PostgreSQL. */
export const buildChatStreamId = (sessionId: string): string => `chat-${sessionId}`;

/** The inverse of `buildChatStreamId`. @param streamId of a random chat; the prefix is not checked */
export const parseChatStreamId = (streamId: string): string => streamId.slice('chat-'.length);
