import { findQuestionById } from '@thaw/contract/questions';
import type { Question, Reactions } from '@thaw/contract/random-chat';
import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import {
  type ChatEnded,
  type EventPosition,
  parseOccurredAtMs,
  type RandomChatEvent,
} from '../domain/random-chat.events';
import { type ChatMessage, findPartner, type RandomChatState } from '../domain/random-chat.state';
import { formatIsoTimestamp } from './iso-timestamp.functions';

/** Shown to the user who answered first; the specification fixes the text. */
const WAITING_MESSAGE = 'Waiting response from your chat partner...';

/** The frame that a participant receives for an event. */
export type ChatFrame = { [E in ServerEvent]: { event: E; data: ServerData<E> } }[ServerEvent];

/** The data of a chat that a frame needs in addition to its event. */
export interface ChatView extends Pick<RandomChatState, 'participants'> {
  readonly sessionId: string;
  /** A message's reactions after the event. */
  getReactions(messageId: string): Reactions;
}

/** Builds the frame for an event that this release cannot decode. It only prevents a gap in `seq` for the client. */
export const buildAdvancedFrame = (sessionId: string, seq: number): ChatFrame => ({
  event: 'session_advanced',
  data: { sessionId, seq },
});

/**
 * Builds the frame of an event for one of the two participants.
 * @param event null when this release cannot decode it.
 * @throws Error when the event refers to an unknown question, or the viewer has no partner.
 */
export const buildFrame = (
  view: ChatView,
  event: RandomChatEvent | null,
  position: EventPosition,
  viewerId: number,
): ChatFrame => {
  const { sessionId } = view;
  if (!event) return buildAdvancedFrame(sessionId, position.seq);
  const sessionAndSeq = { sessionId, seq: position.seq };
  switch (event.type) {
    case 'ChatStarted': {
      const partner = findPartner(view, viewerId);
      if (!partner) throw new Error(`User ${viewerId} has no partner in chat ${sessionId}`);
      return {
        event: 'chat_matched',
        data: { ...sessionAndSeq, partnerId: partner.id, partnerInfo: { ...partner, isOnline: true } },
      };
    }
    case 'MessageSent': {
      const { senderId, content, messageType, replyTo, clientId } = event.data;
      // Messages are the most frequent events, so their frame is written field by field: V8 creates a hidden class for
      // every object that is spread and then extended.
      return {
        event: 'random_message',
        data: {
          sessionId,
          seq: position.seq,
          id: position.id,
          senderId,
          content,
          type: messageType,
          timestamp: formatIsoTimestamp(parseOccurredAtMs(position)),
          replyTo,
          clientId: clientId ?? undefined, // JSON omits a field that is undefined
        },
      };
    }
    case 'MessageEdited': {
      const { messageId, content } = event.data;
      return { event: 'message_edited', data: { ...sessionAndSeq, messageId, newContent: content } };
    }
    case 'ReactionAdded':
    case 'ReactionRemoved': {
      const action = event.type === 'ReactionAdded' ? 'add' : 'remove';
      const { messageId } = event.data;
      return {
        event: 'message_reaction',
        data: { ...sessionAndSeq, ...event.data, action, reactions: view.getReactions(messageId) },
      };
    }
    case 'GameStarted': {
      const { gameId, questionId, initiatorId } = event.data;
      return {
        event: 'break_ice_question_received',
        data: { ...sessionAndSeq, gameId, question: requireQuestion(questionId), initiatorId },
      };
    }
    case 'GameAnswered': {
      const { gameId, userId } = event.data;
      return userId === viewerId
        ? {
            event: 'break_ice_partner_responded_waiting',
            data: { ...sessionAndSeq, gameId, message: WAITING_MESSAGE },
          }
        : { event: 'break_ice_partner_answered', data: { ...sessionAndSeq, gameId } };
    }
    case 'GameRevealed': {
      const { gameId, questionId, answers } = event.data;
      // The event contains both answers.
      const yourResponse = answers.find(({ userId }) => userId === viewerId)?.response ?? '';
      const theirResponse = answers.find(({ userId }) => userId !== viewerId)?.response ?? '';
      return {
        event: 'break_ice_reveal_results',
        data: {
          ...sessionAndSeq,
          gameId,
          question: requireQuestion(questionId),
          yourResponse,
          theirResponse,
          sameAnswer: yourResponse === theirResponse,
        },
      };
    }
    case 'GameIgnored': {
      const { gameId, userId } = event.data;
      return { event: 'break_ice_ignored', data: { ...sessionAndSeq, gameId, ignoredBy: userId } };
    }
    case 'ChatEnded':
      return { event: 'chat_skipped', data: toEndData(sessionId, position.seq, event.data) };
  }
};

/** Builds the data of `chat_skipped`, the frame of every end. To clients, any end but a skip is a lost connection. */
export const toEndData = (
  sessionId: string,
  seq: number,
  { reason, endedBy }: ChatEnded['data'],
): ServerData<'chat_skipped'> => ({
  sessionId,
  seq,
  reason: reason === 'skipped' ? 'skipped' : 'disconnected',
  endedBy,
});

/** Types of events whose frame differs between the two participants. */
const typesWithFramePerViewer: ReadonlySet<RandomChatEvent['type']> = new Set([
  'ChatStarted',
  'GameAnswered',
  'GameRevealed',
]);

/** Whether both participants receive the same frame. */
export const hasSameFrameForBoth = (event: RandomChatEvent | null): boolean =>
  event === null || !typesWithFramePerViewer.has(event.type);

/** Whether the sender receives the frame as well, because it says more than the ack. */
export const isSentToSenderToo = ({ type }: RandomChatEvent): boolean =>
  type === 'GameAnswered' || type === 'GameRevealed';

/** Builds the data of the ack to the sender of the command that led to the event. */
export const buildAck = (event: RandomChatEvent, position: EventPosition, view: ChatView): object => {
  const { seq } = position;
  switch (event.type) {
    case 'MessageSent':
      return buildMessageAck(position, event.data.clientId);
    case 'ReactionAdded':
    case 'ReactionRemoved':
      return { seq, reactions: view.getReactions(event.data.messageId) };
    case 'GameStarted':
      return { seq, question: requireQuestion(event.data.questionId) };
    case 'GameAnswered':
    case 'GameRevealed':
      return {}; // the sender receives the frame as well (`isSentToSenderToo`)
    case 'ChatStarted':
    case 'MessageEdited':
    case 'GameIgnored':
    case 'ChatEnded':
      return { seq };
  }
};

/** Builds the data of the ack to the sender of a message. */
export const buildMessageAck = (position: EventPosition, clientId: string | null): object => ({
  id: position.id,
  seq: position.seq,
  timestamp: formatIsoTimestamp(parseOccurredAtMs(position)),
  clientId: clientId ?? undefined,
});

/**
 * Converts a message's reactions to their wire format.
 * @param reactions undefined for a message that does not exist.
 */
export const toReactions = (reactions: ChatMessage['reactions'] = new Map()): Reactions => {
  const wire: Reactions = {};
  for (const [emoji, users] of reactions) wire[emoji] = { count: users.length, users: [...users] };
  return wire;
};

const requireQuestion = (questionId: number): Question => {
  const question = findQuestionById(questionId);
  if (!question) throw new Error(`Question ${questionId} is not in the bank`);
  return question;
};
