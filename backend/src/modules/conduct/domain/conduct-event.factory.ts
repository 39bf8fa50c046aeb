import type { ConductCommand } from './conduct.commands';
import type { ConductEvent } from './conduct.events';

type CreatedEvent<Type extends ConductEvent['type']> = Extract<ConductEvent, { type: Type }>;

/** An event that results from a command, with the next reserved id. */
export const createEvent = <Type extends ConductEvent['type']>(
  { ids, at, userId }: Pick<ConductCommand, 'ids' | 'at' | 'userId'>,
  type: Type,
  data: Omit<CreatedEvent<Type>['data'], 'userId'>,
): ConductEvent =>
  ({
    type,
    eventId: ids.nextEventId(),
    occurredAt: at,
    data: { userId, ...data },
  }) as unknown as CreatedEvent<Type>;
