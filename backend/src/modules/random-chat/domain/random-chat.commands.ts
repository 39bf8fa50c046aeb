import type { MessageType } from '@thaw/contract/scalars';
import type { Participant } from './random-chat.events';

interface RateLimitedCommand {
  /** When the command is decided: epoch ms, by the clock of Redis, which stamps the events. */
  at: number;
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
  emoji: string;
  action: 'add' | 'remove';
}

export interface StartGame extends RateLimitedCommand {
  type: 'StartGame';
  initiatorId: number;
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

/** A participant leaves the chat to be matched with another user. */
export interface SkipChat {
  type: 'SkipChat';
  userId: number;
}

/** A participant was away for longer than the grace period. */
export interface EndAbandonedChat {
  type: 'EndAbandonedChat';
  userId: number;
}

/** Redis lost events that the participants have seen, and they cannot be restored. */
export interface EndLostChat {
  type: 'EndLostChat';
}

/** The claim behind the chat was released before a user saw the chat. */
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
