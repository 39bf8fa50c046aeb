import { type EventTypeDefinition, upcast } from '../../../platform/event-store/event-type.registry';
import type { RandomChatEvent } from '../domain/random-chat.events';
import { randomChatEventTypes } from '../projections/random-chat.event-types';

/** An event of a chat, with the uuid that it is known by in the durable log. */
export interface LoggedEvent {
  eventId: string;
  event: RandomChatEvent;
}

/** An event as a replica reads it; null is one that this release does not know. */
export interface ReadEvent {
  eventId: string;
  event: RandomChatEvent | null;
}

/** An event as it stands in the hot log and the outbox, in the version in which it was written. */
export interface WrittenEvent {
  eventId: string;
  type: string;
  schemaVersion: number;
  data: Record<string, unknown>;
}

/** Text that is no event of any release. */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
}

const definitions: ReadonlyMap<string, EventTypeDefinition> = new Map(
  randomChatEventTypes.map((definition) => [definition.type, definition]),
);

/** One line of JSON: uuid, type, data, and their version where it is not 1. */
export const encodeEvent = ({ eventId, event }: LoggedEvent): string => {
  const version = definitions.get(event.type)?.schemaVersion ?? 1;
  if (version === 1) return JSON.stringify({ i: eventId, t: event.type, d: event.data });
  return JSON.stringify({ i: eventId, t: event.type, v: version, d: event.data });
};

/** @throws UndecodableEvent when the text is not one of ours. */
export const decodeWritten = (text: string): WrittenEvent => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UndecodableEvent();
  }
  const { i, t, v = 1, d } = (parsed ?? {}) as Record<string, unknown>;
  const isOurs =
    typeof i === 'string' &&
    typeof t === 'string' &&
    Number.isInteger(v) &&
    typeof d === 'object' &&
    d !== null;
  if (!isOurs) throw new UndecodableEvent();
  return { eventId: i, type: t, schemaVersion: v as number, data: d as Record<string, unknown> };
};

/**
 * The event in its present version if this release knows its type and version, else null. Never throws: releases run
 * side by side, and an event of a newer one must not stop an older replica.
 */
export const readEvent = (text: string): ReadEvent => {
  let written: WrittenEvent;
  try {
    written = decodeWritten(text);
  } catch {
    return { eventId: '', event: null };
  }
  const { eventId, type, schemaVersion, data } = written;
  const definition = definitions.get(type);
  if (!definition || schemaVersion > definition.schemaVersion) return { eventId, event: null };
  const present = schemaVersion === definition.schemaVersion ? data : upcast(definition, schemaVersion, data);
  return { eventId, event: { type, data: present } as unknown as RandomChatEvent };
};
