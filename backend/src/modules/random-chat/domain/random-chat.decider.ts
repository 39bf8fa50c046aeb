import { toReactionEmoji } from '@thaw/contract/emojis';
import { parseImageMarkers } from '@thaw/contract/image-markers';
import { checkContent, checkText, formatQuote } from '@thaw/contract/message-content';
import type { ReplyTo } from '@thaw/contract/random-chat';
import type { MessageType } from '@thaw/contract/scalars';
import { findStatedAge } from '@thaw/contract/stated-age';
import { DomainError, requireAccepted } from '../../../platform/errors/domain.errors';
import { decideGameAnswer, decideGameStart, decideGameIgnore } from './icebreaker.decider';
import { type Decision, accept, createNoOp } from './decision.types';
import { requireWithinRate } from './rate-limit.rules';
import type { EditMessage, RandomChatCommand, ReactToMessage, SendMessage } from './random-chat.commands';
import type { ChatEnded } from './random-chat.events';
import {
  type ChatMessage,
  findMessage,
  findMessageByClientId,
  findParticipant,
  type RandomChatState,
} from './random-chat.state';

/** A chat with this number of events is full. The number is limited because replicas keep the events in memory. */
export const MAX_CHAT_EVENTS = 20_000;
/** A chat is also full when its events, as they are stored, have this total size (4 MiB). */
export const MAX_CHAT_BYTES = 4 * 1024 * 1024;

/**
 * Decides which events a command causes. A command that is a retry, or would change nothing, is answered `alreadyDone`.
 * @throws DomainError when the command is refused.
 */
export const decide = (command: RandomChatCommand, state: RandomChatState): Decision => {
  switch (command.type) {
    case 'StartChat': {
      if (state.phase !== 'not_started') throw new DomainError('already_in_session');
      const [first, second] = command.participants;
      return accept({
        type: 'ChatStarted',
        data: { userIds: [first.id, second.id], participants: command.participants },
      });
    }

    case 'SendMessage': {
      requireParticipant(state, command.senderId);
      // A retry is recognised first. It is acknowledged even if the chat has ended or is full, or the user has reached
      // the rate limit.
      const earlierMessage =
        command.clientId && findMessageByClientId(state, command.senderId, command.clientId);
      if (earlierMessage) return { alreadyDone: { id: earlierMessage.id, seq: earlierMessage.seq } };
      requireOpenAndNotFull(state);
      return decideMessage(command, state);
    }

    case 'EditMessage':
      requireParticipant(state, command.editorId);
      requireOpenAndNotFull(state);
      return decideEdit(command, state);

    case 'ReactToMessage':
      requireParticipant(state, command.userId);
      requireOpenAndNotFull(state);
      return decideReaction(command, state);

    case 'StartGame':
      requireParticipant(state, command.initiatorId);
      requireOpenAndNotFull(state);
      return decideGameStart(command, state);

    case 'AnswerGame':
      requireParticipant(state, command.userId);
      requireOpenAndNotFull(state);
      return decideGameAnswer(command, state);

    case 'IgnoreGame':
      requireParticipant(state, command.userId);
      requireOpenAndNotFull(state);
      return decideGameIgnore(command, state);

    // The commands below end the chat. They skip `requireOpenAndNotFull`, so that a full chat can be ended. `decideEnd`
    // handles a chat that has already ended.
    case 'SkipChat':
      requireParticipant(state, command.userId);
      return decideEnd(state, { reason: 'skipped', endedBy: command.userId });

    case 'EndAbandonedChat':
      requireParticipant(state, command.userId);
      return decideEnd(state, { reason: 'disconnected', endedBy: null });

    // The last two commands contain no user id, so there is no participant to check.
    case 'EndLostChat':
      return decideEnd(state, { reason: 'disconnected', endedBy: null });

    case 'AbortChat':
      return decideEnd(state, { reason: 'aborted', endedBy: null });

    default:
      return command satisfies never;
  }
};

const decideMessage = (command: SendMessage, state: RandomChatState): Decision => {
  const { senderId, messageType, replyToId, clientId } = command;
  requireWithinRate(state, 'message', senderId, command);
  const replyTo = replyToId === null ? null : buildQuote(state, replyToId);
  const content = requireAccepted(checkContent(messageType, command.content));
  const data = { senderId, content, messageType, replyTo, clientId };
  const end = buildEndForStatedAge({ authorId: senderId, messageType, content, editedMessageId: null });
  return accept({ type: 'MessageSent', data }, ...end);
};

const decideEdit = (command: EditMessage, state: RandomChatState): Decision => {
  const { editorId, messageId } = command;
  const message = requireMessage(state, messageId);
  if (message.senderId !== editorId || message.messageType !== 'text') throw new DomainError('not_editable');
  const content = requireAccepted(checkText(command.content));
  if (content === message.content) return createNoOp(state);
  requireWithinRate(state, 'edit', editorId, command);
  const end = buildEndForStatedAge({
    authorId: editorId,
    messageType: message.messageType,
    content,
    editedMessageId: messageId,
  });
  return accept({ type: 'MessageEdited', data: { messageId, editorId, content } }, ...end);
};

const decideReaction = (command: ReactToMessage, state: RandomChatState): Decision => {
  const { userId, messageId, action } = command;
  const emoji = toReactionEmoji(command.emoji);
  if (!emoji) throw new DomainError('unknown_emoji');
  const hasReacted = requireMessage(state, messageId).reactions.get(emoji)?.includes(userId) ?? false;
  const shouldHaveReacted = action === 'add';
  if (hasReacted === shouldHaveReacted) return createNoOp(state);
  requireWithinRate(state, 'reaction', userId, command);
  return accept({
    type: shouldHaveReacted ? 'ReactionAdded' : 'ReactionRemoved',
    data: { messageId, emoji, userId },
  });
};

/**
 * Builds the end of the chat if the author of a text states an age under 18. The `finding` gives moderators the reason.
 * `editedMessageId` is null for a new message.
 * @returns empty if the text states no such age.
 */
const buildEndForStatedAge = ({
  authorId,
  messageType,
  content,
  editedMessageId,
}: {
  authorId: number;
  messageType: MessageType;
  content: string;
  editedMessageId: string | null;
}): readonly ChatEnded[] => {
  if (messageType === 'image') return [];
  // A `mixed` content is a text with markers of images.
  const text = messageType === 'mixed' ? parseImageMarkers(content).text : content;
  if (findStatedAge(text) === undefined) return [];
  const finding = { kind: 'stated_age', userId: authorId, messageId: editedMessageId } as const;
  return [{ type: 'ChatEnded', data: { reason: 'removed', endedBy: null, finding } }];
};

const decideEnd = (state: RandomChatState, data: ChatEnded['data']): Decision => {
  if (!state.ended) return accept({ type: 'ChatEnded', data });
  // A chat ends once. The id is empty, because the state does not contain that of the event.
  return { alreadyDone: { id: '', seq: state.ended.seq } };
};

const requireParticipant = (state: RandomChatState, userId: number): void => {
  if (!findParticipant(state, userId)) throw new DomainError('not_in_session');
};

const requireOpenAndNotFull = (state: RandomChatState): void => {
  if (state.phase === 'ended') throw new DomainError('session_ended');
  if (state.version >= MAX_CHAT_EVENTS || state.bytes >= MAX_CHAT_BYTES) {
    throw new DomainError('unavailable', { publicMessage: 'This chat is full. Please start a new one.' });
  }
};

const requireMessage = (state: RandomChatState, messageId: string): ChatMessage => {
  const message = findMessage(state, messageId);
  if (!message) throw new DomainError('message_not_found');
  return message;
};

/** The quoted text is taken from the stored message, never from the client. */
const buildQuote = (state: RandomChatState, messageId: string): ReplyTo => {
  const { content, messageType, senderId } = requireMessage(state, messageId);
  return {
    messageId,
    content: formatQuote(messageType, content),
    senderId,
    // The sender of a stored message is a participant; '' satisfies the compiler.
    senderName: findParticipant(state, senderId)?.username ?? '',
  };
};
