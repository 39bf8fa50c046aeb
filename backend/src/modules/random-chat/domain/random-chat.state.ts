import type { MessageType } from '@thaw/contract/scalars';
import {
  type ChatEndReason,
  type EventPosition,
  occurredAt,
  type Participant,
  type RandomChatEvent,
} from './random-chat.events';

export interface ChatMessage {
  senderId: number;
  content: string;
  messageType: MessageType;
}

export interface RandomChatState {
  phase: 'unborn' | 'open' | 'ended';
  /** Number of events that have happened. */
  version: number;
  participants: readonly Participant[];
  messages: Map<string, ChatMessage>;
  /** «sender:clientId» to the place that the message got. */
  sentByClientId: Map<string, EventPosition>;
  /** When each participant sent his latest messages (epoch ms), the newest last. */
  sentAt: Map<number, number[]>;
  ended: { seq: number; reason: ChatEndReason; endedBy: number | null } | null;
}

export const initialState = (): RandomChatState => ({
  phase: 'unborn',
  version: 0,
  participants: [],
  messages: new Map(),
  sentByClientId: new Map(),
  sentAt: new Map(),
  ended: null,
});

export const clientIdKey = (senderId: number, clientId: string): string => `${senderId}:${clientId}`;

export const participant = (state: RandomChatState, userId: number): Participant | undefined =>
  state.participants.find(({ id }) => id === userId);

export const partnerOf = (state: RandomChatState, userId: number): Participant | undefined =>
  state.participants.find(({ id }) => id !== userId);

/** More than any burst that is worth limiting. */
const REMEMBERED_TIMES = 32;

const remember = (times: Map<number, number[]>, userId: number, at: number): void => {
  const latest = times.get(userId) ?? [];
  latest.push(at);
  if (latest.length > REMEMBERED_TIMES) latest.shift();
  times.set(userId, latest);
};

/**
 * Folds one event in. It takes the state over: the given one must not be used afterwards, since a chat of
 * thousands of messages could not be folded by copying.
 */
export const evolve = (
  state: RandomChatState,
  event: RandomChatEvent,
  position: EventPosition,
): RandomChatState => {
  state.version = position.seq;
  switch (event.type) {
    case 'ChatStarted':
      state.phase = 'open';
      state.participants = event.data.participants;
      return state;
    case 'MessageSent': {
      const { senderId, content, messageType, clientId } = event.data;
      state.messages.set(position.id, { senderId, content, messageType });
      remember(state.sentAt, senderId, occurredAt(position).getTime());
      if (clientId !== null) state.sentByClientId.set(clientIdKey(senderId, clientId), position);
      return state;
    }
    case 'ChatEnded':
      state.phase = 'ended';
      state.ended = { seq: position.seq, ...event.data };
      return state;
    default:
      // An event of a newer release: it counts, and means nothing here yet.
      event satisfies never;
      return state;
  }
};
