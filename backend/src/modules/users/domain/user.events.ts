import type { Gender } from '@thaw/contract/scalars';

interface DomainEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

// Optional fields of the events below are personal data. They are absent once the user's data is erased.

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
/** An anonymous user became a registered one. */
export type AccountConverted = DomainEvent<'AccountConverted', { userId: number; email?: string }>;
export type EmailChanged = DomainEvent<'EmailChanged', { userId: number; email?: string }>;

/** An operator made the user a moderator, by a command on the server. */
export type ModeratorAppointed = DomainEvent<'ModeratorAppointed', { userId: number }>;
/** An operator removed the user from the moderators, by the same command. */
export type ModeratorDismissed = DomainEvent<'ModeratorDismissed', { userId: number }>;

/**
 * Why a user is erased. `asked`: they requested it. `inactive`: they were anonymous and inactive. `operator`: an
 * operator repeated the erasure after restoring a backup.
 */
export type ErasureReason = 'asked' | 'inactive' | 'operator';
/** From this event on, the user does not exist for other users. A job erases the personal data. */
export type ErasureRequested = DomainEvent<
  'ErasureRequested',
  { userId: number; erasureId: string; reason: ErasureReason }
>;
/** The user's personal data is erased. `counts`: the numbers of erased items, by kind. */
export type PersonErased = DomainEvent<
  'PersonErased',
  { userId: number; erasureId: string; counts: Readonly<Record<string, number>> }
>;

/** All events of one user, in the stream `user-<id>`. */
export type UserEvent =
  | UserRegistered
  | AnonymousUserStarted
  | GenderChosen
  | ProfileChanged
  | AccountConverted
  | EmailChanged
  | ModeratorAppointed
  | ModeratorDismissed
  | ErasureRequested
  | PersonErased;

/** The id of the stream with all events of a user. */
export const buildUserStreamId = (userId: number): string => `user-${userId}`;
