import { decide } from '../modules/random-chat/domain/random-chat.decider';
import type { Decision } from '../modules/random-chat/domain/decision.types';
import type { RandomChatCommand } from '../modules/random-chat/domain/random-chat.commands';
import type { EventPosition, RandomChatEvent } from '../modules/random-chat/domain/random-chat.events';
import {
  evolve,
  createChatState,
  type RandomChatState,
  type Rates,
} from '../modules/random-chat/domain/random-chat.state';
import type { Rate } from '../modules/random-chat/domain/token-bucket.functions';
import { createGiven } from './given.fixture';

/** User ids. ADA and BOB are the users of every chat. */
export const ADA = 1;
export const BOB = 2;
export const EVE = 3;

const START_MS = Date.UTC(2025, 10, 20, 12);
const MINUTE_MS = 60_000;

/** Time of the event with the number `seq` (from 1) of a given chat, in ms. Events are a minute apart. */
export const getEventTime = (seq: number): number => START_MS + seq * MINUTE_MS;

/** Position of the event with the number `seq` of a given chat. */
export const getEventPosition = (seq: number): EventPosition => ({ id: `${getEventTime(seq)}-0`, seq });

const createEqualRates = (rate: Rate): Rates => ({ message: rate, edit: rate, reaction: rate, game: rate });

/** Rates that limit nothing in a test. */
export const UNLIMITED = createEqualRates({ intervalMs: 0.001, burst: 1_000_000 });

const createChatDecider = (rates: Rates, eventBytes: number) => ({
  initialState: () => createChatState(rates),
  evolve: (state: RandomChatState, event: RandomChatEvent) =>
    evolve(state, event, getEventPosition(state.version + 1), eventBytes),
  decide,
});

/** The events to append. An `alreadyDone` decision has none, because the command has nothing to change. */
const extractEvents = (decision: Decision): readonly object[] =>
  'events' in decision ? decision.events : [];

/** @param eventBytes what each past event adds to the size of the chat */
const createGivenChat = (rates: Rates, eventBytes = 0) =>
  createGiven<RandomChatState, RandomChatCommand, RandomChatEvent, Decision>(
    createChatDecider(rates, eventBytes),
    extractEvents,
  );

/** Starts a test from the past events of a chat: `givenChat(...events).when(command).then(...events)`. */
export const givenChat = createGivenChat(UNLIMITED);

/** Like `givenChat`, with this rate limit for messages, edits, reactions and games. */
export const givenLimitedChat = (rate: Rate) => createGivenChat(createEqualRates(rate));

/** Like `givenChat`, but every past event adds `eventBytes` instead of 0 to the size of the chat. */
export const givenChatOfBytes = (eventBytes: number) => createGivenChat(UNLIMITED, eventBytes);

export const chatStarted: RandomChatEvent = {
  type: 'ChatStarted',
  data: {
    userIds: [ADA, BOB],
    participants: [
      { id: ADA, username: 'ada', avatar: null },
      { id: BOB, username: 'bob', avatar: null },
    ],
  },
};

export const messageSent = (
  senderId: number,
  content = 'hello',
  clientId: string | null = null,
): RandomChatEvent => ({
  type: 'MessageSent',
  data: { senderId, content, messageType: 'text', replyTo: null, clientId },
});

export const chatEnded: RandomChatEvent = { type: 'ChatEnded', data: { reason: 'skipped', endedBy: BOB } };
