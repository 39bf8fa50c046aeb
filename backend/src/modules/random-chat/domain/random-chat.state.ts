import type { ReactionEmoji } from '@thaw/contract/emojis';
import type { MessageType } from '@thaw/contract/scalars';
import {
  type ChatEnded,
  comparePositionIds,
  type EventPosition,
  occurredAtMs,
  type Participant,
  type RandomChatEvent,
} from './random-chat.events';

export interface ChatMessage extends EventPosition {
  senderId: number;
  content: string;
  messageType: MessageType;
  isEdited: boolean;
  /** Who reacted with what, in the order of the first reaction. */
  reactions: ReadonlyMap<ReactionEmoji, readonly number[]>;
}

export interface Game {
  gameId: string;
  questionId: number;
  initiatorId: number;
  startedAt: EventPosition;
  firstAnswer: { userId: number; response: string } | null;
}

/** What there is a pace for. */
export type Paced = 'message' | 'edit' | 'reaction' | 'game';

export interface RandomChatState {
  phase: 'unborn' | 'open' | 'ended';
  /** Number of events that have happened. */
  version: number;
  participants: readonly Participant[];
  /** In the order of their ids, which is that of time. */
  messages: ChatMessage[];
  /** By sender and by his own name for the message. */
  sentByClientId: Map<number, Map<string, ChatMessage>>;
  /** The game that is being played. */
  game: Game | null;
  gameIds: Set<string>;
  askedQuestionIds: Set<number>;
  /** When each participant («what:user») did what has a pace, latest (epoch ms) last. */
  doneAt: Map<string, number[]>;
  ended: (ChatEnded['data'] & { seq: number }) | null;
}

export const initialState = (): RandomChatState => ({
  phase: 'unborn',
  version: 0,
  participants: [],
  messages: [],
  sentByClientId: new Map(),
  game: null,
  gameIds: new Set(),
  askedQuestionIds: new Set(),
  doneAt: new Map(),
  ended: null,
});

export const pacedKey = (what: Paced, userId: number): string => `${what}:${userId}`;

export const participant = (state: RandomChatState, userId: number): Participant | undefined =>
  state.participants.find(({ id }) => id === userId);

export const partnerOf = (state: RandomChatState, userId: number): Participant | undefined =>
  state.participants.find(({ id }) => id !== userId);

/** Found by halving, since ids ascend: a hash table of all messages costs more with each than this ever does. */
export const messageOf = (state: RandomChatState, messageId: string): ChatMessage | undefined => {
  const { messages } = state;
  let [from, to] = [0, messages.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const message = messages[middle];
    if (message && comparePositionIds(message.id, messageId) < 0) from = middle + 1;
    else to = middle;
  }
  const found = messages[from];
  return found?.id === messageId ? found : undefined;
};

/** The message that a sender has sent under this name of his. */
export const messageSentAs = (
  state: RandomChatState,
  senderId: number,
  clientId: string,
): ChatMessage | undefined => state.sentByClientId.get(senderId)?.get(clientId);

/** Of almost every message, hence one for all. */
const NO_REACTIONS: ChatMessage['reactions'] = new Map();

/** More than any burst that is worth limiting. */
const REMEMBERED_TIMES = 64;

const remember = (state: RandomChatState, what: Paced, userId: number, position: EventPosition): void => {
  const key = pacedKey(what, userId);
  const times = state.doneAt.get(key);
  if (!times) {
    state.doneAt.set(key, [occurredAtMs(position)]);
    return;
  }
  times.push(occurredAtMs(position));
  if (times.length > REMEMBERED_TIMES) times.shift();
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
      const message: ChatMessage = {
        id: position.id,
        seq: position.seq,
        senderId,
        content,
        messageType,
        isEdited: false,
        reactions: NO_REACTIONS,
      };
      state.messages.push(message);
      if (clientId !== null) {
        const sent = state.sentByClientId.get(senderId);
        if (sent) sent.set(clientId, message);
        else state.sentByClientId.set(senderId, new Map([[clientId, message]]));
      }
      remember(state, 'message', senderId, position);
      return state;
    }

    case 'MessageEdited': {
      const message = messageOf(state, event.data.messageId);
      if (message) {
        message.content = event.data.content;
        message.isEdited = true;
      }
      remember(state, 'edit', event.data.editorId, position);
      return state;
    }

    case 'ReactionAdded': {
      const { messageId, emoji, userId } = event.data;
      const message = messageOf(state, messageId);
      if (message) {
        const users = message.reactions.get(emoji) ?? [];
        message.reactions = new Map(message.reactions).set(emoji, [...users, userId]);
      }
      remember(state, 'reaction', userId, position);
      return state;
    }

    case 'ReactionRemoved': {
      const { messageId, emoji, userId } = event.data;
      const message = messageOf(state, messageId);
      if (message) {
        const reactions = new Map(message.reactions);
        const left = (reactions.get(emoji) ?? []).filter((id) => id !== userId);
        if (left.length > 0) reactions.set(emoji, left);
        else reactions.delete(emoji);
        message.reactions = reactions;
      }
      remember(state, 'reaction', userId, position);
      return state;
    }

    case 'GameStarted': {
      const { gameId, questionId, initiatorId } = event.data;
      state.game = { gameId, questionId, initiatorId, startedAt: position, firstAnswer: null };
      state.gameIds.add(gameId);
      state.askedQuestionIds.add(questionId);
      remember(state, 'game', initiatorId, position);
      return state;
    }

    case 'GameAnswered': {
      const { userId, response } = event.data;
      if (state.game) state.game.firstAnswer = { userId, response };
      return state;
    }

    case 'GameRevealed':
    case 'GameIgnored':
      state.game = null;
      return state;

    case 'ChatEnded':
      state.phase = 'ended';
      state.game = null;
      state.ended = { seq: position.seq, ...event.data };
      return state;

    default:
      // An event of a newer release: it counts, and means nothing here yet.
      event satisfies never;
      return state;
  }
};
