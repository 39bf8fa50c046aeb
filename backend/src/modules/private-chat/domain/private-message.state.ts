import type { ReactionEmoji } from '@thaw/contract/emojis';
import type { MessageType } from '@thaw/contract/scalars';
import type {
  PrivateMessageEvent,
  PrivateReactionAdded,
  PrivateReactionRemoved,
} from './private-message.events';

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
  /** In the order in which they were added. */
  reactions: readonly PrivateReaction[];
  /** The last toggle of each user and emoji, except one whose frame had no `ref`. */
  lastToggles: readonly Toggle[];
}

/** One addition or removal of a reaction. */
export interface Toggle extends PrivateReaction {
  /** Fingerprint of the frame's `ref`, by which a retry is recognised. */
  refFingerprint: string;
  at: Date;
}

/** null before the message is sent. */
export type PrivateMessageState = SentMessage | null;

export const createMessageState = (): PrivateMessageState => null;

export const evolveMessage = (
  state: PrivateMessageState,
  event: PrivateMessageEvent,
): PrivateMessageState => {
  if (event.type === 'PrivateMessageSent') {
    const { senderId, receiverId, messageType, content = '' } = event.data; // an erasure removes `content`
    return { senderId, receiverId, messageType, content, isDeleted: false, reactions: [], lastToggles: [] };
  }
  // Only satisfies the type: the stream of a message begins with `PrivateMessageSent`.
  if (state === null) return null;
  switch (event.type) {
    case 'PrivateMessageEdited':
      return { ...state, content: event.data.content ?? '' };
    case 'PrivateReactionAdded': {
      const { emoji, userId } = event.data;
      const reactions = [...state.reactions, { emoji, userId }];
      return { ...state, reactions, lastToggles: recordToggle(state, event) };
    }
    case 'PrivateReactionRemoved': {
      const { emoji, userId } = event.data;
      return {
        ...state,
        reactions: state.reactions.filter((other) => !isSameReaction(other, { emoji, userId })),
        lastToggles: recordToggle(state, event),
      };
    }
    case 'PrivateMessageDeleted':
      return { ...state, content: '', isDeleted: true, reactions: [], lastToggles: [] };
    default:
      return event satisfies never;
  }
};

export const isSameReaction = (one: PrivateReaction, other: PrivateReaction): boolean =>
  one.emoji === other.emoji && one.userId === other.userId;

const recordToggle = (
  { lastToggles }: SentMessage,
  event: PrivateReactionAdded | PrivateReactionRemoved,
): readonly Toggle[] => {
  const { emoji, userId, attempt: refFingerprint } = event.data;
  const otherToggles = lastToggles.filter((toggle) => !isSameReaction(toggle, { emoji, userId }));
  if (refFingerprint === undefined) return otherToggles;
  return [...otherToggles, { emoji, userId, refFingerprint, at: event.occurredAt }];
};
