import type { MessageType } from '@thaw/contract/scalars';
import type { Participant } from './random-chat.events';

/** A command that a rate limit can refuse, depending on its time and the times of earlier events. */
interface RateLimitedCommand {
  /** When the command is decided: epoch ms, by the clock of Redis, which also sets the time of the events. */
  decidedAtMs: number;
}

/** Starts the chat of two matched users. */
export interface StartChat {
  type: 'StartChat';
  participants: readonly [Participant, Participant];
}

export interface SendMessage extends RateLimitedCommand {
  type: 'SendMessage';
  senderId: number;
  content: string;
  messageType: MessageType;
  /** The message to which this one replies. */
  replyToId: string | null;
  /** Idempotency key chosen by the client; null if the client sent none. */
  clientId: string | null;
}

export interface EditMessage extends RateLimitedCommand {
  type: 'EditMessage';
  editorId: number;
  messageId: string;
  content: string;
}

export interface ReactToMessage extends RateLimitedCommand {
  type: 'ReactToMessage';
  userId: number;
  messageId: string;
  /** As the client sent it, not checked yet. */
  emoji: string;
  action: 'add' | 'remove';
}

export interface StartGame extends RateLimitedCommand {
  type: 'StartGame';
  initiatorId: number;
  /** Chosen by the client: a retry has the same one. */
  gameId: string;
  questionId: number;
}

export interface AnswerGame {
  type: 'AnswerGame';
  userId: number;
  gameId: string;
  response: string;
}

export interface IgnoreGame {
  type: 'IgnoreGame';
  userId: number;
  gameId: string;
}

/** A participant leaves the chat, to be matched with another user or because they have blocked the partner. */
export interface SkipChat {
  type: 'SkipChat';
  userId: number;
}

/** A participant was away for longer than the grace period, or was suspended or banned. */
export interface EndAbandonedChat {
  type: 'EndAbandonedChat';
  /** That participant. */
  userId: number;
}

/** Redis has lost events that users have seen, or the records that say that the users are in the chat. */
export interface EndLostChat {
  type: 'EndLostChat';
}

/** The match was cancelled before it was confirmed, so no user has seen the chat. */
export interface AbortChat {
  type: 'AbortChat';
}

export type RandomChatCommand =
  | StartChat
  | SendMessage
  | EditMessage
  | ReactToMessage
  | StartGame
  | AnswerGame
  | IgnoreGame
  | SkipChat
  | EndAbandonedChat
  | EndLostChat
  | AbortChat;
