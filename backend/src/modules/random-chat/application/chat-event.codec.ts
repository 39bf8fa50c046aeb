import { type EventTypeDefinition, upcastData } from '../../../platform/event-store/event-type.registry';
import type { RandomChatEvent } from '../domain/random-chat.events';
import { randomChatEventTypes } from '../projections/random-chat.event-types';

/** An event in the log of a chat, with its id: a UUID, which is also the id of the event in PostgreSQL. */
export interface LoggedEvent {
  eventId: string;
  event: RandomChatEvent;
}

/** The result of `decodeEvent`: an event in the current version of its type. */
export interface DecodedEvent {
  /** Null when the text is not an encoded event. */
  eventId: string | null;
  /** Null when the text is not an encoded event, or this release does not know the type or version of the event. */
  event: RandomChatEvent | null;
}

/** The result of `decodeWrittenEvent`: an event as it was written, whose data has the shape of `schemaVersion`. */
export interface WrittenEvent {
  eventId: string;
  type: string;
  schemaVersion: number;
  data: Record<string, unknown>;
}

/** Thrown when a stored text is not an encoded event of any release. */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
}

const definitions: ReadonlyMap<string, EventTypeDefinition> = new Map(
  randomChatEventTypes.map((definition) => [definition.type, definition]),
);

/** Encodes an event as JSON: `i` event id, `t` type, `v` schema version (omitted when 1), `d` data. */
export const encodeEvent = ({ eventId, event }: LoggedEvent): string => {
  const version = definitions.get(event.type)?.schemaVersion ?? 1; // `?? 1` satisfies the compiler
  const versionUnless1 = version === 1 ? {} : { v: version };
  return JSON.stringify({ i: eventId, t: event.type, ...versionUnless1, d: event.data });
};

/** @returns null when the text is not an encoded event. */
const parseWrittenEvent = (text: string): WrittenEvent | null => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { i, t, v = 1, d } = parsed as Record<string, unknown>;
  const isEncodedEvent =
    typeof i === 'string' &&
    typeof t === 'string' &&
    Number.isInteger(v) &&
    typeof d === 'object' &&
    d !== null;
  if (!isEncodedEvent) return null;
  return { eventId: i, type: t, schemaVersion: v as number, data: d as Record<string, unknown> };
};

/**
 * Decodes an event without upcasting it.
 * @throws UndecodableEvent when the text is not an encoded event.
 */
export const decodeWrittenEvent = (text: string): WrittenEvent => {
  const written = parseWrittenEvent(text);
  if (!written) throw new UndecodableEvent();
  return written;
};

/**
 * Decodes an event and upcasts it to the current version of its type. `event` is null if that is not possible:
 * replicas of two releases run side by side during an update, and an event of the newer one must not stop a replica of
 * the older one.
 */
export const decodeEvent = (text: string): DecodedEvent => {
  const written = parseWrittenEvent(text);
  if (!written) return { eventId: null, event: null };
  const { eventId, type, schemaVersion, data } = written;
  const definition = definitions.get(type);
  const isOfNewerRelease = !definition || schemaVersion > definition.schemaVersion;
  if (isOfNewerRelease) return { eventId, event: null };
  const currentData = upcastData(definition, schemaVersion, data);
  return { eventId, event: { type, data: currentData } as unknown as RandomChatEvent };
};
