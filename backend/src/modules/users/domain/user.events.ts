import type { Gender } from '@thaw/contract/scalars';

interface RecordedEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

export type UserRegistered = RecordedEvent<
  'UserRegistered',
  { userId: number; username: string; email: string }
>;
export type AnonymousUserStarted = RecordedEvent<
  'AnonymousUserStarted',
  { userId: number; username: string }
>;
export type GenderChosen = RecordedEvent<'GenderChosen', { userId: number; gender: Gender }>;
export type ProfileChanged = RecordedEvent<
  'ProfileChanged',
  { userId: number; username: string; avatar: string | null }
>;
export type AccountConverted = RecordedEvent<'AccountConverted', { userId: number; email: string }>;
export type EmailChanged = RecordedEvent<'EmailChanged', { userId: number; email: string }>;

/** All events of one user, in the stream `user-<id>`. */
export type UserEvent =
  UserRegistered | AnonymousUserStarted | GenderChosen | ProfileChanged | AccountConverted | EmailChanged;

export const userStream = (userId: number): string => `user-${userId}`;
