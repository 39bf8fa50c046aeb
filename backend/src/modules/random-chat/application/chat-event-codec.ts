import type { RandomChatEvent } from '../domain/random-chat.events';

/** An event as it stands in the hot log and the outbox: its uuid, type and data, in one line of JSON. */
export interface LoggedEvent {
  eventId: string;
  event: RandomChatEvent;
}

export const encodeEvent = ({ eventId, event }: LoggedEvent): string =>
  JSON.stringify({ i: eventId, t: event.type, d: event.data });

/** @throws SyntaxError when the text is not one of ours. */
export const decodeEvent = (text: string): LoggedEvent => {
  const { i, t, d } = JSON.parse(text) as {
    i: string;
    t: RandomChatEvent['type'];
    d: RandomChatEvent['data'];
  };
  return { eventId: i, event: { type: t, data: d } as RandomChatEvent };
};
