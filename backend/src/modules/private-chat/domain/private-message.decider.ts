import { toReactionEmoji } from '@thaw/contract/emojis';
import { checkContent, checkText } from '@thaw/contract/message-content';
import { DomainError, requireAccepted } from '../../../platform/errors/domain.errors';
import type { Decider } from '../../../platform/event-store/decider.types';
import type {
  DeletePrivateMessage,
  EditPrivateMessage,
  PrivateMessageCommand,
  ReactToPrivateMessage,
} from './private-message.commands';
import type { PrivateMessageEvent } from './private-message.events';
import {
  evolveMessage,
  createMessageState,
  isSameReaction,
  type PrivateMessageState,
  type SentMessage,
  type Toggle,
} from './private-message.state';

/**
 * Time after a reaction is added or removed in which a frame with the same `ref` (the client's id of the frame) is a
 * retry, from a client that did not receive the answer. After this time, the frame toggles the reaction again, because
 * a reloaded page numbers its frames from the start (docs/decisions/0023-a-retried-toggle-is-recognised-by-its-ref.md).
 */
const RETRY_WINDOW_MS = 60_000;

/**
 * The caller checks that the two users of the conversation are friends.
 * @throws DomainError when the command is refused.
 */
const decide = (
  command: PrivateMessageCommand,
  state: PrivateMessageState,
): readonly PrivateMessageEvent[] => {
  const { messageId, eventId, at: occurredAt } = command;
  const eventHeader = { eventId, occurredAt };
  switch (command.type) {
    case 'SendPrivateMessage': {
      // A defect, not a refusal: the database assigns the ids of messages.
      if (state !== null) throw new Error('This message id is taken');
      const { senderId, receiverId, messageType, replyToId, clientId } = command;
      const content = requireAccepted(checkContent(messageType, command.content));
      return [
        {
          ...eventHeader,
          type: 'PrivateMessageSent',
          data: { messageId, senderId, receiverId, messageType, content, replyToId, clientId },
        },
      ];
    }
    case 'EditPrivateMessage': {
      const message = requireNotDeleted(command, state);
      if (message.senderId !== command.userId || message.messageType !== 'text') {
        throw new DomainError('not_editable');
      }
      const content = requireAccepted(checkText(command.content));
      if (content === message.content) return [];
      return [
        {
          ...eventHeader,
          type: 'PrivateMessageEdited',
          data: { messageId, senderId: message.senderId, content },
        },
      ];
    }
    case 'ReactToPrivateMessage': {
      const { userId, refFingerprint } = command;
      const emoji = toReactionEmoji(command.emoji);
      if (!emoji) throw new DomainError('unknown_emoji');
      const { reactions, lastToggles } = requireNotDeleted(command, state);
      const reaction = { emoji, userId };
      const lastToggle = lastToggles.find((other) => isSameReaction(other, reaction));
      if (lastToggle && isRetry(command, lastToggle)) return [];
      const type = reactions.some((other) => isSameReaction(other, reaction))
        ? 'PrivateReactionRemoved'
        : 'PrivateReactionAdded';
      return [
        {
          ...eventHeader,
          type,
          // `attempt` is the fingerprint: a hash of the frame's `ref`.
          data: { messageId, ...reaction, ...(refFingerprint === null ? {} : { attempt: refFingerprint }) },
        },
      ];
    }
    case 'DeletePrivateMessage': {
      const { senderId, isDeleted } = requireInConversation(command, state);
      // The contract has one code for refused edits and deletions.
      if (senderId !== command.userId) throw new DomainError('not_editable');
      if (isDeleted) return [];
      return [{ ...eventHeader, type: 'PrivateMessageDeleted', data: { messageId, senderId } }];
    }
    default:
      return command satisfies never;
  }
};

/** Whether the frame of this command is a retry of the frame that last added or removed the same reaction. */
const isRetry = ({ refFingerprint, at }: ReactToPrivateMessage, lastToggle: Toggle): boolean =>
  refFingerprint === lastToggle.refFingerprint && at.getTime() - lastToggle.at.getTime() < RETRY_WINDOW_MS;

type ChangeCommand = EditPrivateMessage | ReactToPrivateMessage | DeletePrivateMessage;

const isParticipant = ({ senderId, receiverId }: SentMessage, userId: number): boolean =>
  userId === senderId || userId === receiverId;

/** A message that is not between the user and the friend is treated as missing. */
const requireInConversation = (
  { userId, friendId }: ChangeCommand,
  state: PrivateMessageState,
): SentMessage => {
  if (state === null || !isParticipant(state, userId) || !isParticipant(state, friendId))
    throw new DomainError('message_not_found');
  return state;
};

/** A deleted message is treated as missing. */
const requireNotDeleted = (command: ChangeCommand, state: PrivateMessageState): SentMessage => {
  const message = requireInConversation(command, state);
  if (message.isDeleted) throw new DomainError('message_not_found');
  return message;
};

export const privateMessageDecider: Decider<PrivateMessageState, PrivateMessageCommand, PrivateMessageEvent> =
  {
    initialState: createMessageState,
    evolve: evolveMessage,
    decide,
  };
