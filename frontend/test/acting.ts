import { type SelfUser } from '@thaw/contract/users';

/** Runs `work` as the user of one page, with `actAs`. */
export type Act = (work: () => void) => void;

let actingUser: SelfUser | null = null;

/**
 * Runs `work` with `user` as the signed-in user. This module replaces `@/product/identity` in tests that run the pages
 * of several users in one process.
 */
export const actAs = (user: SelfUser, work: () => void): void => {
  const previousUser = actingUser;
  actingUser = user;
  try {
    work();
  } finally {
    actingUser = previousUser;
  }
};

export const currentUser = (): SelfUser | null => actingUser;
