import type { ReactionEmoji } from '@thaw/contract/emojis';
import type { MessageType } from '@thaw/contract/scalars';
import type { PrivateMessageEvent } from './private-message.events';

export interface PrivateReaction {
  emoji: ReactionEmoji;
  userId: number;
}

export interface SentMessage {
  senderId: number;
  receiverId: number;
  messageType: MessageType;
  content: string;
  isDeleted: boolean;
  /** In the order of reacting. */
  reactions: readonly PrivateReaction[];
}

/** null until it is sent. */
export type PrivateMessageState = SentMessage | null;

export const initialMessage = (): PrivateMessageState => null;

export const evolveMessage = (
  state: PrivateMessageState,
  event: PrivateMessageEvent,
): PrivateMessageState => {
  if (event.type === 'PrivateMessageSent') {
    const { senderId, receiverId, messageType, content = '' } = event.data;
    return { senderId, receiverId, messageType, content, isDeleted: false, reactions: [] };
  }
  if (state === null) return null;
  switch (event.type) {
    case 'PrivateMessageEdited':
      return { ...state, content: event.data.content ?? '' };
    case 'PrivateReactionAdded': {
      const { emoji, userId } = event.data;
      return { ...state, reactions: [...state.reactions, { emoji, userId }] };
    }
    case 'PrivateReactionRemoved': {
      const { emoji, userId } = event.data;
      return {
        ...state,
        reactions: state.reactions.filter((other) => other.emoji !== emoji || other.userId !== userId),
      };
    }
    case 'PrivateMessageDeleted':
      return { ...state, content: '', isDeleted: true, reactions: [] };
    default:
      return event satisfies never;
  }
};
