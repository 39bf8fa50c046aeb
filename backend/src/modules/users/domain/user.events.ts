import type { Gender } from '@thaw/contract/scalars';

interface Recorded<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

export type UserRegistered = Recorded<'UserRegistered', { userId: number; username: string; email: string }>;
export type AnonymousUserStarted = Recorded<'AnonymousUserStarted', { userId: number; username: string }>;
export type GenderChosen = Recorded<'GenderChosen', { userId: number; gender: Gender }>;
export type ProfileChanged = Recorded<
  'ProfileChanged',
  { userId: number; username: string; avatar: string | null }
>;
export type AccountConverted = Recorded<'AccountConverted', { userId: number; email: string }>;
export type EmailChanged = Recorded<'EmailChanged', { userId: number; email: string }>;

/** The life of one user, in the stream `user-<id>`. */
export type UserEvent =
  UserRegistered | AnonymousUserStarted | GenderChosen | ProfileChanged | AccountConverted | EmailChanged;

export const userStream = (userId: number): string => `user-${userId}`;
