import { EventStore1763640000000 } from './1763640000000-event-store';

/** Every migration, in order. */
export const migrations = [EventStore1763640000000];
