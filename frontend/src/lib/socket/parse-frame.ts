import { envelopeSchema } from '@thaw/contract/envelope';
import { serverFrames, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';

/** A second name of the same frame (A124). */
const aliases: Partial<Record<string, ServerEvent>> = { 'friend-request-received': 'friend_request' };

const isServerEvent = (event: string): event is ServerEvent => Object.hasOwn(serverFrames, event);

/**
 * One event of the contract with its data checked; undefined for what is unknown or broken. A stored event that this
 * page cannot read (it carries `sessionId` and `seq`) becomes `session_advanced`: it is no gap.
 */
export const parseEvent = (name: string, data: unknown, ref?: string): ServerFrame | undefined => {
  const event = aliases[name] ?? name;
  const withRef = ref === undefined ? {} : { ref };
  const parsed = isServerEvent(event) ? serverFrames[event].safeParse(data) : undefined;
  if (parsed?.success) return { event, data: parsed.data, ...withRef } as ServerFrame;
  // Its `seq` is that of many events, which must not be passed over unread.
  if (event === 'session_resumed') return undefined;
  const advanced = serverFrames.session_advanced.safeParse(data);
  return advanced.success ? { event: 'session_advanced', data: advanced.data, ...withRef } : undefined;
};

/** A frame as it came over the wire. */
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
