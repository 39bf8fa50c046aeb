import type { Gender } from '@thaw/contract/scalars';

interface Command<Type extends string> {
  type: Type;
  userId: number;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
}

export type RegisterUser = Command<'RegisterUser'> & { username: string; email: string };
export type StartAnonymousUser = Command<'StartAnonymousUser'> & { username: string };
export type ChooseGender = Command<'ChooseGender'> & { gender: Gender };
export type ChangeProfile = Command<'ChangeProfile'> & { username: string; avatar: string | null };
export type ConvertAccount = Command<'ConvertAccount'> & { email: string };
export type ChangeEmail = Command<'ChangeEmail'> & { email: string };

export type UserCommand =
  RegisterUser | StartAnonymousUser | ChooseGender | ChangeProfile | ConvertAccount | ChangeEmail;
