import type { Gender } from '@thaw/contract/scalars';

interface DomainEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

/** Every optional field below is personal data, and absent once it is erased. */
export type UserRegistered = DomainEvent<
  'UserRegistered',
  { userId: number; username?: string; email?: string }
>;
export type AnonymousUserStarted = DomainEvent<'AnonymousUserStarted', { userId: number; username?: string }>;
export type GenderChosen = DomainEvent<'GenderChosen', { userId: number; gender?: Gender }>;
export type ProfileChanged = DomainEvent<
  'ProfileChanged',
  { userId: number; username?: string; avatar?: string | null }
>;
/** An anonymous user became a registered one (A16). */
export type AccountConverted = DomainEvent<'AccountConverted', { userId: number; email?: string }>;
export type EmailChanged = DomainEvent<'EmailChanged', { userId: number; email?: string }>;

/** An operator made the user a moderator, by a command on the server. */
export type ModeratorAppointed = DomainEvent<'ModeratorAppointed', { userId: number }>;
export type ModeratorDismissed = DomainEvent<'ModeratorDismissed', { userId: number }>;

/** All events of one user, in the stream `user-<id>`. */
export type UserEvent =
  | UserRegistered
  | AnonymousUserStarted
  | GenderChosen
  | ProfileChanged
  | AccountConverted
  | EmailChanged
  | ModeratorAppointed
  | ModeratorDismissed;

/** The id of the stream with all events of a user. */
export const buildUserStreamId = (userId: number): string => `user-${userId}`;
