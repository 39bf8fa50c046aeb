import { type RandomMessage } from '@thaw/contract/random-chat';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { applyGameEvent, isGameFrame } from '@/features/random-chat/icebreaker/game-events';
import { insertSent } from '@/features/random-chat/reducer/message-order';
import {
  missed,
  stay,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { confirm } from '@/features/random-chat/reducer/unconfirmed-changes';
import { pageLimits } from '@/lib/page-limits';

/** Applies the events of a session's stream, each once and in order. */

/** Inserts a stored message. The user's own may arrive both as an ack and as a frame. */
export const received = (session: Session, data: RandomMessage): readonly ChatMessage[] => {
  if (session.messages.some((message) => message.id === data.id)) return session.messages;
  return insertSent(session.messages, {
    id: data.id,
    seq: data.seq,
    key: data.clientId ?? data.id,
    senderId: data.senderId,
    content: data.content,
    type: data.type,
    timestamp: Date.parse(data.timestamp),
    replyTo: data.replyTo,
    reactions: {},
    isEdited: false,
    delivery: 'sent',
    ...(data.clientId === undefined ? {} : { clientId: data.clientId }),
  });
};

const numericPart = (id: string): number | undefined => {
  const digits = /^(\d+)(?:-\d+)?$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * The message that a reaction refers to (specification §4, A86): the one with exactly this id; if there is none, the
 * nearest whose numeric part differs by less than a second.
 */
export const messageMeant = (
  messages: readonly ChatMessage[],
  messageId: string,
): ChatMessage | undefined => {
  const exact = messages.find(({ id }) => id === messageId);
  const wanted = numericPart(messageId);
  if (exact || wanted === undefined) return exact;
  let nearest: ChatMessage | undefined;
  let nearestMs: number = pageLimits.reactionIdToleranceMs;
  for (const message of messages) {
    const part = numericPart(message.id);
    const distanceMs = part === undefined ? Infinity : Math.abs(part - wanted);
    if (distanceMs < nearestMs) [nearest, nearestMs] = [message, distanceMs];
  }
  return nearest;
};

/** Applies one stored event to the session, except its `seq`. */
export const applied = (session: Session, frame: ServerFrame, me: number): Session => {
  if (isGameFrame(frame)) return applyGameEvent(session, frame, me);
  switch (frame.event) {
    case 'random_message':
      return {
        ...session,
        messages: received(session, frame.data),
        isPartnerTyping: frame.data.senderId === session.partner.id ? false : session.isPartnerTyping,
      };
    case 'message_edited':
      return confirm(session, frame.data.messageId, { content: frame.data.newContent, isEdited: true });
    case 'message_reaction': {
      const meant = messageMeant(session.messages, frame.data.messageId);
      return meant ? confirm(session, meant.id, { reactions: frame.data.reactions }) : session;
    }
    default:
      return session;
  }
};

/** Applies one stored event, once and in order; a gap means that events were lost in transit. */
export const store = (state: RandomChatState, seq: number, frame: ServerFrame, me: number): Step => {
  const { session } = state;
  if (!session || seq <= session.seq) return stay(state);
  if (seq > session.seq + 1) return missed(state, session);
  return stay({ ...state, session: { ...applied(session, frame, me), seq } });
};
