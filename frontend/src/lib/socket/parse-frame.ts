import { envelopeSchema } from '@thaw/contract/envelope';
import { serverFrames, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';

/** A second name of the same frame (A124). */
const aliases: Partial<Record<string, ServerEvent>> = { 'friend-request-received': 'friend_request' };

const isServerEvent = (event: string): event is ServerEvent => Object.hasOwn(serverFrames, event);

/** One event of the contract with its data checked; undefined for what is unknown or broken. */
export const parseEvent = (name: string, data: unknown, ref?: string): ServerFrame | undefined => {
  const event = aliases[name] ?? name;
  if (!isServerEvent(event)) return undefined;
  const parsed = serverFrames[event].safeParse(data);
  if (!parsed.success) return undefined;
  return { event, data: parsed.data, ...(ref === undefined ? {} : { ref }) } as ServerFrame;
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
