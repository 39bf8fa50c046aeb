import { type SelfUser } from '@thaw/contract/users';

let acting: SelfUser | null = null;

/** Many people's pages run in one process, which has one identity: it is whoever acts at the moment. */
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
