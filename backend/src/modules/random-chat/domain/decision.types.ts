import type { EventPosition, RandomChatEvent } from './random-chat.events';
import type { RandomChatState } from './random-chat.state';

/**
 * Result of a command. `events` are to be appended. `alreadyDone` answers a command that has nothing to change, such as
 * a retry, with the position of the event that made the change.
 */
export type Decision = { events: readonly RandomChatEvent[] } | { alreadyDone: EventPosition };

export const accept = (...events: RandomChatEvent[]): Decision => ({ events });

/** For a command that would not change the state. No single event is its result, so the id is empty. */
export const createNoOp = ({ version }: RandomChatState): Decision => ({
  alreadyDone: { id: '', seq: version },
});
