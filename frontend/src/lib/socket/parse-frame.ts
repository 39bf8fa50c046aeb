import { envelopeSchema } from '@thaw/contract/envelope';
import { serverFrames, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';

/** Further event names that the page accepts (docs/product-decisions.md, A124). */
const aliases: Partial<Record<string, ServerEvent>> = { 'friend-request-received': 'friend_request' };

const isServerEvent = (event: string): event is ServerEvent => Object.hasOwn(serverFrames, event);

/**
 * Validates the data of one event of the contract. A stored event (recognized by `sessionId` and `seq`) that this
 * version cannot read becomes `session_advanced`, so that the sequence has no gap.
 * @param ref the id that the client gave the request which the event answers
 * @returns undefined for any other event that is unknown or has invalid data
 */
export const parseEvent = (name: string, data: unknown, ref?: string): ServerFrame | undefined => {
  const event = aliases[name] ?? name;
  const withRef = ref === undefined ? {} : { ref };
  const parsed = isServerEvent(event) ? serverFrames[event].safeParse(data) : undefined;
  if (parsed?.success) return { event, data: parsed.data, ...withRef } as ServerFrame;
  // An unreadable `session_resumed` is not replaced: it carries many events and the `seq` of the last one, so
  // `session_advanced` would skip all of them.
  if (event === 'session_resumed') return undefined;
  const advanced = serverFrames.session_advanced.safeParse(data);
  return advanced.success ? { event: 'session_advanced', data: advanced.data, ...withRef } : undefined;
};

/** Parses a frame as received from the socket; returns undefined for an unknown or invalid frame. */
export const parseFrame = (text: unknown): ServerFrame | undefined => {
  if (typeof text !== 'string') return undefined;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const envelope = envelopeSchema.safeParse(json);
  if (!envelope.success) return undefined;
  return parseEvent(envelope.data.event, envelope.data.data, envelope.data.ref);
};
