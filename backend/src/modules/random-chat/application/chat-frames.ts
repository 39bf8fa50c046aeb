import type { ServerData, ServerEvent } from '@thaw/contract/server-frames';
import {
  type ChatEnded,
  type EventPosition,
  occurredAt,
  type RandomChatEvent,
} from '../domain/random-chat.events';
import { partnerOf, type RandomChatState } from '../domain/random-chat.state';

/** What a participant is sent for an event. */
export type ChatFrame = { [E in ServerEvent]: { event: E; data: ServerData<E> } }[ServerEvent];

/**
 * The frame that an event is for one of the two participants.
 * @param state the chat once the event has happened.
 */
export const frameOf = (
  sessionId: string,
  event: RandomChatEvent,
  position: EventPosition,
  state: RandomChatState,
  viewerId: number,
): ChatFrame => {
  const stored = { sessionId, seq: position.seq };
  switch (event.type) {
    case 'ChatStarted': {
      const partner = partnerOf(state, viewerId);
      if (!partner) throw new Error('A chat without a partner');
      return {
        event: 'chat_matched',
        data: { ...stored, partnerId: partner.id, partnerInfo: { ...partner, isOnline: true } },
      };
    }
    case 'MessageSent': {
      const { senderId, content, messageType, replyTo, clientId } = event.data;
      return {
        event: 'random_message',
        data: {
          ...stored,
          id: position.id,
          senderId,
          content,
          type: messageType,
          timestamp: occurredAt(position).toISOString(),
          replyTo,
          clientId: clientId ?? undefined,
        },
      };
    }
    case 'ChatEnded':
      return { event: 'chat_skipped', data: endData(sessionId, position.seq, event.data) };
  }
};

export const endData = (
  sessionId: string,
  seq: number,
  { reason, endedBy }: ChatEnded['data'],
): ServerData<'chat_skipped'> => ({
  sessionId,
  seq,
  reason: reason === 'skipped' ? 'skipped' : 'disconnected',
  endedBy,
});

/** Whether both participants are sent the very same frame. */
export const isSameForBoth = (event: RandomChatEvent): boolean => event.type !== 'ChatStarted';

/** What the sender of a command is acknowledged for the event that came of it. */
export const ackOf = (event: RandomChatEvent, position: EventPosition): object => {
  return event.type === 'MessageSent' ? sentAck(position, event.data.clientId) : { seq: position.seq };
};

export const sentAck = (position: EventPosition, clientId: string | null): object => ({
  id: position.id,
  seq: position.seq,
  timestamp: occurredAt(position).toISOString(),
  clientId: clientId ?? undefined,
});
