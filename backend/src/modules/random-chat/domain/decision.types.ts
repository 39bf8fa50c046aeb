import type { EventPosition, RandomChatEvent } from './random-chat.events';
import type { RandomChatState } from './random-chat.state';

/** Result of a command: the events to append, or, for a repeated one, the position of the event that already did it. */
export type Decision = { events: readonly RandomChatEvent[] } | { alreadyDone: EventPosition };

export const accept = (...events: RandomChatEvent[]): Decision => ({ events });

/** No-op: the state already is what the command asks for. No single event did it, so the id is empty. */
export const createNoOp = ({ version }: RandomChatState): Decision => ({
  alreadyDone: { id: '', seq: version },
});
