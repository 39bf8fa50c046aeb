import { decide } from '../modules/random-chat/domain/random-chat.decider';
import type { Decision } from '../modules/random-chat/domain/decision';
import type { RandomChatCommand } from '../modules/random-chat/domain/random-chat.commands';
import type { EventPosition, RandomChatEvent } from '../modules/random-chat/domain/random-chat.events';
import { evolve, initialState, type RandomChatState } from '../modules/random-chat/domain/random-chat.state';
import { givenFor } from './given';

export const ADA = 1;
export const BOB = 2;
export const EVE = 3;

/** Time of the n-th event of a given chat: one a minute, so that no pace is in the way. */
export const timeOf = (seq: number): number => 1_763_640_000_000 + seq * 60_000;

/** Where the n-th event of a given chat stands. */
export const at = (seq: number): EventPosition => ({ id: `${timeOf(seq)}-0`, seq });

export const NO_PACE = { intervalMs: 0.001, burst: 1_000 };

const chatDecider = {
  initialState,
  evolve: (state: RandomChatState, event: RandomChatEvent) => evolve(state, event, at(state.version + 1)),
  decide,
};

const eventsOf = (decision: Decision): readonly object[] => ('events' in decision ? decision.events : []);

/** A chat's past, event by event; nothing happened before. */
export const givenChat = givenFor<RandomChatState, RandomChatCommand, RandomChatEvent, Decision>(
  chatDecider,
  eventsOf,
);

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
