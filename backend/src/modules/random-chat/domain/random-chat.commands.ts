import type { MessageType } from '@thaw/contract/scalars';
import type { Participant } from './random-chat.events';

/** Two strangers were matched. */
export interface StartChat {
  type: 'StartChat';
  participants: readonly [Participant, Participant];
}

/** How fast somebody may do something: `burst` at once, then one every `intervalMs`. */
export interface Pace {
  intervalMs: number;
  burst: number;
}

export interface SendMessage {
  type: 'SendMessage';
  /** Epoch, milliseconds. */
  at: number;
  pace: Pace;
  senderId: number;
  content: string;
  messageType: MessageType;
  /** The message that is replied to. */
  replyToId: string | null;
  clientId: string | null;
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

/** The match behind the chat was taken back before anybody saw it. */
export interface AbortChat {
  type: 'AbortChat';
}

export type RandomChatCommand = StartChat | SendMessage | SkipChat | EndAbandonedChat | AbortChat;
