import { type RandomMessage } from '@thaw/contract/random-chat';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { applyGameEvent, isGameFrame } from '@/features/random-chat/icebreaker/game-events';
import { insertBySeq } from '@/features/random-chat/reducer/message-order';
import {
  requestMissingEvents,
  stepTo,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { updateConfirmedContent } from '@/features/random-chat/reducer/unconfirmed-changes';
import { pageLimits } from '@/lib/page-limits';

// Stored events are those of the session's event stream, such as messages and edits. Their frames have a `seq`.

/**
 * Returns the messages of the session with a stored message added. The list is unchanged if it already has the message:
 * the user's own message may arrive both as an ack and as a frame.
 */
export const insertMessage = (session: Session, message: RandomMessage): readonly ChatMessage[] => {
  const { id, seq, clientId, senderId, content, type, timestamp, replyTo } = message;
  if (session.messages.some((other) => other.id === id)) return session.messages;
  return insertBySeq(session.messages, {
    id,
    seq,
    // While the user's own message was being sent, its key was `clientId`. With the same key, React keeps its row.
    key: clientId ?? id,
    senderId,
    content,
    type,
    timestamp: Date.parse(timestamp),
    replyTo,
    reactions: {},
    isEdited: false,
    delivery: 'sent',
    ...(clientId === undefined ? {} : { clientId }),
  });
};

/** The milliseconds of a message id such as `1763640000000-2`; undefined for an id of another form. */
const parseIdMs = (id: string): number | undefined => {
  const digits = /^(\d+)(?:-\d+)?$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * Finds the message that a reaction refers to: the one with exactly this id, or else the one whose id has the nearest
 * time, if the times differ by less than a second (docs/product-decisions.md, A86).
 */
export const findReactionTarget = (
  messages: readonly ChatMessage[],
  messageId: string,
): ChatMessage | undefined => {
  const exact = messages.find(({ id }) => id === messageId);
  if (exact) return exact;
  const wantedMs = parseIdMs(messageId);
  if (wantedMs === undefined) return undefined;
  let nearest: ChatMessage | undefined;
  let nearestDistanceMs: number = pageLimits.reactionIdToleranceMs;
  for (const message of messages) {
    const idMs = parseIdMs(message.id);
    const distanceMs = idMs === undefined ? Infinity : Math.abs(idMs - wantedMs);
    if (distanceMs < nearestDistanceMs) {
      nearest = message;
      nearestDistanceMs = distanceMs;
    }
  }
  return nearest;
};

/** Applies the frame of a stored event; other frames change nothing. The caller sets the session's `seq`. */
export const applyStoredEvent = (session: Session, frame: ServerFrame, me: number): Session => {
  if (isGameFrame(frame)) return applyGameEvent(session, frame, me);
  switch (frame.event) {
    case 'random_message':
      return {
        ...session,
        messages: insertMessage(session, frame.data),
        isPartnerTyping: frame.data.senderId === session.partner.id ? false : session.isPartnerTyping,
      };
    case 'message_edited': {
      const { messageId, newContent } = frame.data;
      return updateConfirmedContent(session, messageId, { content: newContent, isEdited: true });
    }
    case 'message_reaction': {
      const { messageId, reactions } = frame.data;
      const target = findReactionTarget(session.messages, messageId);
      return target ? updateConfirmedContent(session, target.id, { reactions }) : session;
    }
    default:
      return session;
  }
};

/**
 * Applies each stored event once and in order: the next one is applied, an earlier one ignored, and a later one makes
 * the page request the events in between.
 */
export const handleStoredEvent = (
  state: RandomChatState,
  seq: number,
  frame: ServerFrame,
  me: number,
): Step => {
  const { session } = state;
  if (!session) return stepTo(state);
  const nextSeq = session.seq + 1;
  if (seq < nextSeq) return stepTo(state);
  if (seq > nextSeq) return requestMissingEvents(state);
  return stepTo({ ...state, session: { ...applyStoredEvent(session, frame, me), seq } });
};
