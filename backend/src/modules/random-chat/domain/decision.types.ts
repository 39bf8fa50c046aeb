import type { EventPosition, RandomChatEvent } from './random-chat.events';
import type { RandomChatState } from './random-chat.state';

/** What a command comes to: new events, or the place of what it asked for, which has happened already. */
export type Decision = { events: readonly RandomChatEvent[] } | { alreadyDone: EventPosition };

export const accept = (...events: RandomChatEvent[]): Decision => ({ events });

/** It is as the command wants it; that is so at the present version. */
export const unchanged = ({ version }: RandomChatState): Decision => ({
  alreadyDone: { id: '', seq: version },
});
