import { limits } from '@thaw/contract/limits';
import { codePointLength, normalizeText, truncateGraphemes } from '@thaw/contract/text';
import type { ReplyTo } from '@thaw/contract/random-chat';
import { DomainError } from '../../../platform/errors/domain-error';
import { waitForPace } from './pace';
import type { Pace, RandomChatCommand, SendMessage } from './random-chat.commands';
import type { EventPosition, Participant, RandomChatEvent } from './random-chat.events';
import { clientIdKey, participant, type RandomChatState } from './random-chat.state';

/** Events that a chat may hold; then it says that it is full. */
export const MAX_EVENTS = 20_000;

/** What a command comes to: new events, or the place of what it asked for, which has happened already. */
export type Decision = { events: readonly RandomChatEvent[] } | { alreadyDone: EventPosition };

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
      const earlier =
        command.clientId && state.sentByClientId.get(clientIdKey(command.senderId, command.clientId));
      if (earlier) return { alreadyDone: earlier };
      requireOpen(state);
      requireRoom(state);
      requirePace(state.sentAt.get(command.senderId) ?? [], command);
      return happened({
        type: 'MessageSent',
        data: {
          senderId: command.senderId,
          content: requireContent(command),
          messageType: command.messageType,
          replyTo: command.replyToId === null ? null : quote(state, command.replyToId),
          clientId: command.clientId,
        },
      });
    }

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

const happened = (...events: RandomChatEvent[]): Decision => ({ events });

/** The end happens once: whoever asks for it later is told where it was. */
const end = (
  state: RandomChatState,
  data: Extract<RandomChatEvent, { type: 'ChatEnded' }>['data'],
): Decision =>
  state.ended ? { alreadyDone: { id: '', seq: state.ended.seq } } : happened({ type: 'ChatEnded', data });

const requireParticipant = (state: RandomChatState, userId: number): Participant => {
  const found = participant(state, userId);
  if (!found) throw new DomainError('not_in_session');
  return found;
};

const requireOpen = (state: RandomChatState): void => {
  if (state.phase === 'ended') throw new DomainError('session_ended');
};

const requireRoom = (state: RandomChatState): void => {
  if (state.version >= MAX_EVENTS) {
    throw new DomainError('unavailable', { message: 'This chat is full. Please start a new one.' });
  }
};

const requirePace = (times: readonly number[], { at, pace }: { at: number; pace: Pace }): void => {
  const retryAfterMs = waitForPace(times, at, pace);
  if (retryAfterMs > 0) throw new DomainError('rate_limited', { retryAfterMs });
};

const requireContent = ({ messageType, content }: SendMessage): string => {
  if (messageType !== 'text') throw new DomainError('image_not_yours');
  const text = normalizeText(content);
  if (text === '') throw new DomainError('invalid_payload');
  if (codePointLength(text) > limits.messageMaxCodePoints) throw new DomainError('message_too_long');
  return text;
};

/** What a reply shows of its message: taken from the record, never from the client. */
const quote = (state: RandomChatState, messageId: string): ReplyTo => {
  const message = state.messages.get(messageId);
  if (!message) throw new DomainError('message_not_found');
  return {
    messageId,
    content: truncateGraphemes(message.content, limits.replyPreviewInComposer),
    senderId: message.senderId,
    senderName: participant(state, message.senderId)?.username ?? '',
  };
};
