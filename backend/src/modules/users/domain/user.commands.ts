import type { Gender } from '@thaw/contract/scalars';
import type { ErasureReason } from './user.events';

interface Command<Type extends string> {
  type: Type;
  userId: number;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  /** The time of the resulting event. */
  at: Date;
}

/** Creates a user with an e-mail address. */
export type RegisterUser = Command<'RegisterUser'> & { username: string; email: string };
/** Creates a user without an e-mail address. */
export type StartAnonymousUser = Command<'StartAnonymousUser'> & { username: string };
export type ChooseGender = Command<'ChooseGender'> & { gender: Gender };
export type ChangeProfile = Command<'ChangeProfile'> & { username: string; avatar: string | null };
/** Turns an anonymous user into a registered one. */
export type ConvertAccount = Command<'ConvertAccount'> & { email: string };
export type ChangeEmail = Command<'ChangeEmail'> & { email: string };
export type AppointModerator = Command<'AppointModerator'>;
export type DismissModerator = Command<'DismissModerator'>;
/** Makes the user disappear for other users; their personal data is erased afterwards. */
export type RequestErasure = Command<'RequestErasure'> & { erasureId: string; reason: ErasureReason };
/** Records that the personal data is erased. `counts`: the numbers of erased items, by kind. */
export type CompleteErasure = Command<'CompleteErasure'> & {
  erasureId: string;
  counts: Readonly<Record<string, number>>;
};

export type UserCommand =
  | RegisterUser
  | StartAnonymousUser
  | ChooseGender
  | ChangeProfile
  | ConvertAccount
  | ChangeEmail
  | AppointModerator
  | DismissModerator
  | RequestErasure
  | CompleteErasure;
