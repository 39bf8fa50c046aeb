import { type SelfUser } from '@thaw/contract/users';

let acting: SelfUser | null = null;

/** The pages of many users run in one process with one identity: the identity of the user who acts at the moment. */
export const actAs = (user: SelfUser, work: () => void): void => {
  const before = acting;
  acting = user;
  try {
    work();
  } finally {
    acting = before;
  }
};

export const currentUser = (): SelfUser | null => acting;
