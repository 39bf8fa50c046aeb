import type { ReactionEmoji } from '@thaw/contract/emojis';
import type { MessageType } from '@thaw/contract/scalars';
import {
  type ChatEnded,
  comparePositionIds,
  type EventPosition,
  type MessageSent,
  parseOccurredAtMs,
  type Participant,
  type RandomChatEvent,
} from './random-chat.events';
import { type Bucket, type Rate, takeToken } from './token-bucket.functions';

export interface ChatMessage extends EventPosition {
  senderId: number;
  content: string;
  messageType: MessageType;
  isEdited: boolean;
  /** By emoji, the ids of the users who reacted with it. Emoji and users are in the order in which they were added. */
  reactions: ReadonlyMap<ReactionEmoji, readonly number[]>;
}

/** A game of Break the Ice: both users answer one question, and see the answers when both have answered. */
export interface Game {
  gameId: string;
  questionId: number;
  initiatorId: number;
  startPosition: EventPosition;
  firstAnswer: (Answer & { position: EventPosition }) | null;
}

export interface Answer {
  userId: number;
  response: string;
}

/** The last game that was finished (revealed or ignored). It is kept to recognise a retried command. */
export interface PastGame {
  gameId: string;
  /** Both answers of a revealed game; empty for an ignored game. */
  answers: readonly Answer[];
  ignoredBy: number | null;
  endPosition: EventPosition;
}

/** Actions, each with its own rate limit. */
export type RateLimitedAction = 'message' | 'edit' | 'reaction' | 'game';

export type Rates = Readonly<Record<RateLimitedAction, Rate>>;

export interface RandomChatState {
  phase: 'not_started' | 'open' | 'ended';
  /** Number of events, and therefore the `seq` of the last one. */
  version: number;
  /** Total size of the serialised events, which is limited. */
  bytes: number;
  rates: Rates;
  participants: readonly Participant[];
  /** In the order of sending, so the ids ascend. */
  messages: ChatMessage[];
  /** By sender id, then by client id: an id that the client generates, by which a retry is recognised. */
  sentByClientId: Map<number, Map<string, ChatMessage>>;
  /** The game in progress. */
  game: Game | null;
  /** The ids of all games of the chat. Clients choose the ids, so a new game must not use an earlier one. */
  gameIds: Set<string>;
  /** The questions of all games of the chat. A question is not asked again while others are left. */
  askedQuestionIds: Set<number>;
  pastGame: PastGame | null;
  /** Token buckets of the rate limits, by `buildBucketKey`. */
  buckets: Map<string, Bucket>;
  /** Data of the ChatEnded event, and its `seq`. */
  ended: (ChatEnded['data'] & { seq: number }) | null;
}

export const createChatState = (rates: Rates): RandomChatState => ({
  phase: 'not_started',
  version: 0,
  bytes: 0,
  rates,
  participants: [],
  messages: [],
  sentByClientId: new Map(),
  game: null,
  gameIds: new Set(),
  askedQuestionIds: new Set(),
  pastGame: null,
  buckets: new Map(),
  ended: null,
});

/** Games are limited per chat, everything else per user. */
export const buildBucketKey = (action: RateLimitedAction, userId: number): string =>
  action === 'game' ? action : `${action}:${userId}`;

export const findParticipant = (state: RandomChatState, userId: number): Participant | undefined =>
  state.participants.find(({ id }) => id === userId);

export const findPartner = (
  { participants }: Pick<RandomChatState, 'participants'>,
  userId: number,
): Participant | undefined => participants.find(({ id }) => id !== userId);

/** Binary search, since ids ascend. A map by id would have to be updated for every message, but few are looked up. */
export const findMessage = (state: RandomChatState, messageId: string): ChatMessage | undefined => {
  const { messages } = state;
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const message = messages[middle];
    if (message && comparePositionIds(message.id, messageId) < 0) low = middle + 1;
    else high = middle;
  }
  const found = messages[low];
  return found?.id === messageId ? found : undefined;
};

export const findMessageByClientId = (
  state: RandomChatState,
  senderId: number,
  clientId: string,
): ChatMessage | undefined => state.sentByClientId.get(senderId)?.get(clientId);

/** Shared by all messages without reactions: almost no message has any, so a map for each would waste memory. */
const NO_REACTIONS: ChatMessage['reactions'] = new Map();

/** Takes a token from the action's bucket, even an empty one: the event has already happened. */
const countTowardsLimit = (
  state: RandomChatState,
  action: RateLimitedAction,
  userId: number,
  position: EventPosition,
): void => {
  const key = buildBucketKey(action, userId);
  state.buckets.set(key, takeToken(state.buckets.get(key), parseOccurredAtMs(position), state.rates[action]));
};

const addMessage = (
  state: RandomChatState,
  { senderId, content, messageType, clientId }: MessageSent['data'],
  { id, seq }: EventPosition,
): void => {
  const message: ChatMessage = {
    id,
    seq,
    senderId,
    content,
    messageType,
    isEdited: false,
    reactions: NO_REACTIONS,
  };
  state.messages.push(message);
  if (clientId === null) return;
  const sentMessages = state.sentByClientId.get(senderId);
  if (sentMessages) sentMessages.set(clientId, message);
  else state.sentByClientId.set(senderId, new Map([[clientId, message]]));
};

const listReactingUsers = (message: ChatMessage, emoji: ReactionEmoji): readonly number[] =>
  message.reactions.get(emoji) ?? [];

const setReactingUsers = (message: ChatMessage, emoji: ReactionEmoji, userIds: readonly number[]): void => {
  // A new map, because `FoldedChat` keeps the reactions after each event, for clients that resume the chat.
  const reactions = new Map(message.reactions);
  if (userIds.length > 0) reactions.set(emoji, userIds);
  else reactions.delete(emoji);
  message.reactions = reactions;
};

/**
 * Folds one event. Mutates and returns the given state: copying it for each event would be too slow in a chat of
 * thousands of messages.
 * @param event null when this release does not know its type; then only version and size change.
 * @param bytes size of the serialised event. May be omitted where the size of the chat does not matter, as in tests.
 */
export const evolve = (
  state: RandomChatState,
  event: RandomChatEvent | null,
  position: EventPosition,
  bytes = 0,
): RandomChatState => {
  state.version = position.seq;
  state.bytes += bytes;
  if (!event) return state;
  switch (event.type) {
    case 'ChatStarted':
      state.phase = 'open';
      state.participants = event.data.participants;
      return state;

    case 'MessageSent':
      addMessage(state, event.data, position);
      countTowardsLimit(state, 'message', event.data.senderId, position);
      return state;

    case 'MessageEdited': {
      const message = findMessage(state, event.data.messageId);
      if (message) {
        message.content = event.data.content;
        message.isEdited = true;
      }
      countTowardsLimit(state, 'edit', event.data.editorId, position);
      return state;
    }

    case 'ReactionAdded': {
      const { messageId, emoji, userId } = event.data;
      const message = findMessage(state, messageId);
      if (message) setReactingUsers(message, emoji, [...listReactingUsers(message, emoji), userId]);
      countTowardsLimit(state, 'reaction', userId, position);
      return state;
    }

    case 'ReactionRemoved': {
      const { messageId, emoji, userId } = event.data;
      const message = findMessage(state, messageId);
      if (message) {
        const remainingUsers = listReactingUsers(message, emoji).filter((id) => id !== userId);
        setReactingUsers(message, emoji, remainingUsers);
      }
      countTowardsLimit(state, 'reaction', userId, position);
      return state;
    }

    case 'GameStarted': {
      const { gameId, questionId, initiatorId } = event.data;
      state.game = { gameId, questionId, initiatorId, startPosition: position, firstAnswer: null };
      state.gameIds.add(gameId);
      state.askedQuestionIds.add(questionId);
      countTowardsLimit(state, 'game', initiatorId, position);
      return state;
    }

    case 'GameAnswered': {
      const { userId, response } = event.data;
      // The second answer is not an event of its own: `GameRevealed` contains both.
      if (state.game) state.game.firstAnswer = { userId, response, position };
      return state;
    }

    case 'GameRevealed': {
      const { gameId, answers } = event.data;
      state.game = null;
      state.pastGame = { gameId, answers, ignoredBy: null, endPosition: position };
      return state;
    }

    case 'GameIgnored': {
      const { gameId, userId } = event.data;
      state.game = null;
      state.pastGame = { gameId, answers: [], ignoredBy: userId, endPosition: position };
      return state;
    }

    case 'ChatEnded':
      state.phase = 'ended';
      state.game = null;
      state.ended = { seq: position.seq, ...event.data };
      return state;

    default:
      return event satisfies never;
  }
};
