import { toReactionEmoji } from '@thaw/contract/emojis';
import { imageUrlsOf, parseImageMarkers, withImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import type { ReplyTo } from '@thaw/contract/random-chat';
import type { MessageType } from '@thaw/contract/scalars';
import { codePointLength, normalizeText, truncateGraphemes } from '@thaw/contract/text';
import { DomainError } from '../../../platform/errors/domain-error';
import { decideAnswer, decideGame, decideIgnore } from './icebreaker.decider';
import { type Decision, happened, unchanged } from './decision';
import { requirePace } from './pace';
import type { EditMessage, RandomChatCommand, ReactToMessage, SendMessage } from './random-chat.commands';
import type { ChatEnded } from './random-chat.events';
import {
  type ChatMessage,
  messageOf,
  messageSentAs,
  participant,
  type RandomChatState,
} from './random-chat.state';

/** Events that a chat may hold; then it says that it is full. */
export const MAX_EVENTS = 20_000;

/** @throws DomainError when the command is refused. */
export const decide = (command: RandomChatCommand, state: RandomChatState): Decision => {
  switch (command.type) {
    case 'StartChat': {
      if (state.phase !== 'unborn') throw new DomainError('already_in_session');
      const [first, second] = command.participants;
      return happened({
        type: 'ChatStarted',
        data: { userIds: [first.id, second.id], participants: command.participants },
      });
    }

    case 'SendMessage': {
      requireParticipant(state, command.senderId);
      const earlier = command.clientId && messageSentAs(state, command.senderId, command.clientId);
      if (earlier) return { alreadyDone: { id: earlier.id, seq: earlier.seq } };
      requireOpen(state);
      return decideMessage(command, state);
    }

    case 'EditMessage':
      requireParticipant(state, command.editorId);
      requireOpen(state);
      return decideEdit(command, state);

    case 'ReactToMessage':
      requireParticipant(state, command.userId);
      requireOpen(state);
      return decideReaction(command, state);

    case 'StartGame':
      requireParticipant(state, command.initiatorId);
      requireOpen(state);
      return decideGame(command, state);

    case 'AnswerGame':
      requireParticipant(state, command.userId);
      requireOpen(state);
      return decideAnswer(command, state);

    case 'IgnoreGame':
      requireParticipant(state, command.userId);
      requireOpen(state);
      return decideIgnore(command, state);

    case 'SkipChat':
      requireParticipant(state, command.userId);
      return end(state, { reason: 'skipped', endedBy: command.userId });

    case 'EndAbandonedChat':
      requireParticipant(state, command.userId);
      return end(state, { reason: 'disconnected', endedBy: null });

    case 'AbortChat':
      return end(state, { reason: 'aborted', endedBy: null });

    default:
      return command satisfies never;
  }
};

const decideMessage = (command: SendMessage, state: RandomChatState): Decision => {
  const { senderId, messageType, replyToId, clientId } = command;
  requirePace(state, 'message', senderId, command);
  const replyTo = replyToId === null ? null : quote(state, replyToId);
  const content = requireContent(command);
  return happened({ type: 'MessageSent', data: { senderId, content, messageType, replyTo, clientId } });
};

const decideEdit = (command: EditMessage, state: RandomChatState): Decision => {
  const { editorId, messageId } = command;
  const message = requireMessage(state, messageId);
  if (message.senderId !== editorId || message.messageType !== 'text') throw new DomainError('not_editable');
  const content = requireText(command.content);
  if (content === message.content) return unchanged(state);
  requirePace(state, 'edit', editorId, command);
  return happened({ type: 'MessageEdited', data: { messageId, editorId, content } });
};

const decideReaction = (command: ReactToMessage, state: RandomChatState): Decision => {
  const { userId, messageId, action } = command;
  const emoji = toReactionEmoji(command.emoji);
  if (!emoji) throw new DomainError('unknown_emoji');
  const hasReacted = requireMessage(state, messageId).reactions.get(emoji)?.includes(userId) ?? false;
  if (hasReacted === (action === 'add')) return unchanged(state);
  requirePace(state, 'reaction', userId, command);
  return happened({
    type: action === 'add' ? 'ReactionAdded' : 'ReactionRemoved',
    data: { messageId, emoji, userId },
  });
};

/** The end happens once: whoever asks for it later is told where it was. */
const end = (state: RandomChatState, data: ChatEnded['data']): Decision =>
  state.ended ? { alreadyDone: { id: '', seq: state.ended.seq } } : { events: [{ type: 'ChatEnded', data }] };

const requireParticipant = (state: RandomChatState, userId: number): void => {
  if (!participant(state, userId)) throw new DomainError('not_in_session');
};

const requireOpen = (state: RandomChatState): void => {
  if (state.phase === 'ended') throw new DomainError('session_ended');
  if (state.version >= MAX_EVENTS) {
    throw new DomainError('unavailable', { message: 'This chat is full. Please start a new one.' });
  }
};

const requireMessage = (state: RandomChatState, messageId: string): ChatMessage => {
  const message = messageOf(state, messageId);
  if (!message) throw new DomainError('message_not_found');
  return message;
};

const requireText = (given: string): string => {
  const text = normalizeText(given);
  if (text === '') throw new DomainError('invalid_payload');
  if (codePointLength(text) > limits.messageMaxCodePoints) throw new DomainError('message_too_long');
  return text;
};

/** Whose the images are was checked before; here it is only that there are some, and how much is said with them. */
const requireContent = ({ messageType, content }: SendMessage): string => {
  switch (messageType) {
    case 'text':
      return requireText(content);
    case 'image':
      if (imageUrlsOf('image', content).length === 0) throw new DomainError('image_not_yours');
      return content;
    case 'mixed': {
      const { text, imageUrls } = parseImageMarkers(normalizeText(content));
      if (imageUrls.length === 0) throw new DomainError('image_not_yours');
      return withImageMarkers({ text: requireText(text), imageUrls });
    }
  }
};

/** What a reply shows of its message: taken from the record, never from the client. An image is 'Photo' (A109). */
const quote = (state: RandomChatState, messageId: string): ReplyTo => {
  const { content: whole, messageType, senderId } = requireMessage(state, messageId);
  const content = quotable(messageType, whole);
  return {
    messageId,
    content: truncateGraphemes(content, limits.replyPreviewInComposer),
    senderId,
    senderName: participant(state, senderId)?.username ?? '',
  };
};

const quotable = (messageType: MessageType, content: string): string => {
  switch (messageType) {
    case 'text':
      return content;
    case 'image':
      return 'Photo';
    case 'mixed':
      return parseImageMarkers(content).text;
  }
};
