import type { EventPosition, RandomChatEvent } from './random-chat.events';
import type { RandomChatState } from './random-chat.state';

/** Result of a command: the events to append, or, for a repeated command, the position of the first one's event. */
export type Decision = { events: readonly RandomChatEvent[] } | { alreadyDone: EventPosition };

export const accept = (...events: RandomChatEvent[]): Decision => ({ events });

/** For a command whose result is already the state. No single event caused that, so the id is empty. */
export const createNoOp = ({ version }: RandomChatState): Decision => ({
  alreadyDone: { id: '', seq: version },
});
