import type { MessageType } from '@thaw/contract/scalars';
import type { Participant } from './random-chat.events';

/** Two strangers were matched. */
export interface StartChat {
  type: 'StartChat';
  participants: readonly [Participant, Participant];
}

export interface SendMessage {
  type: 'SendMessage';
  /** Epoch ms, by the clock of the streams. */
  at: number;
  senderId: number;
  content: string;
  messageType: MessageType;
  /** The message that is replied to. */
  replyToId: string | null;
  clientId: string | null;
}

export interface EditMessage {
  type: 'EditMessage';
  at: number;
  editorId: number;
  messageId: string;
  content: string;
}

export interface ReactToMessage {
  type: 'ReactToMessage';
  at: number;
  userId: number;
  messageId: string;
  emoji: string;
  action: 'add' | 'remove';
}

export interface StartGame {
  type: 'StartGame';
  at: number;
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

/** A participant goes on to somebody else. */
export interface SkipChat {
  type: 'SkipChat';
  userId: number;
}

/** A participant was away for longer than the chat waits. */
export interface EndAbandonedChat {
  type: 'EndAbandonedChat';
  userId: number;
}

/** The log lost what the participants have seen, and nothing can restore it. */
export interface EndLostChat {
  type: 'EndLostChat';
}

/** The match behind the chat was taken back before anybody saw it. */
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
