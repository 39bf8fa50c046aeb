import type { ConductCommand } from './conduct.commands';
import type { ConductEvent } from './conduct.events';

type EventOfType<Type extends ConductEvent['type']> = Extract<ConductEvent, { type: Type }>;

/** An event that results from a command, with the next reserved event id and the user and the time of the command. */
export const createEvent = <Type extends ConductEvent['type']>(
  { ids, at, userId }: Pick<ConductCommand, 'ids' | 'at' | 'userId'>,
  type: Type,
  data: Omit<EventOfType<Type>['data'], 'userId'>,
): ConductEvent =>
  ({
    type,
    eventId: ids.nextEventId(),
    occurredAt: at,
    data: { userId, ...data },
    // The compiler cannot relate `type` and `data` while `Type` is generic.
  }) as unknown as ConductEvent;
