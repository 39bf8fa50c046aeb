import type { RandomChatEvent } from '../domain/random-chat.events';

/** An event as it stands in the hot log and the outbox: its uuid, type and data, in one line of JSON. */
export interface LoggedEvent {
  eventId: string;
  event: RandomChatEvent;
}

/** An event as a replica reads it; null is one that this release does not know. */
export interface ReadEvent {
  eventId: string;
  event: RandomChatEvent | null;
}

/** The version of its data with which this release writes and reads each type; a text without `v` is of version 1. */
const knownVersions: Record<RandomChatEvent['type'], number> = {
  ChatStarted: 1,
  MessageSent: 1,
  MessageEdited: 1,
  ReactionAdded: 1,
  ReactionRemoved: 1,
  GameStarted: 1,
  GameAnswered: 1,
  GameRevealed: 1,
  GameIgnored: 1,
  ChatEnded: 1,
};

interface EventText {
  i: string;
  t: RandomChatEvent['type'];
  /** Version of the data, where it is not 1. */
  v?: number;
  d: RandomChatEvent['data'];
}

export const encodeEvent = ({ eventId, event }: LoggedEvent): string =>
  JSON.stringify({ i: eventId, t: event.type, d: event.data });

/**
 * Any event, also one of a type that this release does not know.
 * @throws SyntaxError when the text is not one of ours.
 */
export const decodeEvent = (text: string): LoggedEvent => {
  const { i, t, d } = JSON.parse(text) as EventText;
  return { eventId: i, event: { type: t, data: d } as RandomChatEvent };
};

/**
 * The event if this release knows its type and version, else null. Never throws: releases run side by side, and an
 * event of a newer one must not stop an older replica.
 */
export const readEvent = (text: string): ReadEvent => {
  try {
    const { i, t, v = 1, d } = JSON.parse(text) as EventText;
    const isKnown = Object.hasOwn(knownVersions, t) && knownVersions[t] === v && typeof d === 'object';
    return { eventId: i, event: isKnown ? ({ type: t, data: d } as RandomChatEvent) : null };
  } catch {
    return { eventId: '', event: null };
  }
};
