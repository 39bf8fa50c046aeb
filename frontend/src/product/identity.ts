import { type Standing } from '@thaw/contract/safety';
import { type SelfUser } from '@thaw/contract/users';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { raise } from '@/product/app-events';

/** Key in localStorage. The product decision A05 fixes it and the stored format (docs/product-decisions.md). */
export const identityStorageKey = 'thaw-chat-auth';

interface Identity {
  /** The signed-in user, only for display: the server checks permissions. Null when signed out. */
  user: SelfUser | null;
}

/** A copy of the contract's `goodStanding`. An import would load the schemas of the contract on every page. */
const goodStanding: Standing = { kind: 'good', since: null, until: null, noticeId: null };

/**
 * Checks only the id. The other fields need no check: `useSessionCheck` fetches the user with this id from the server
 * and replaces the stored user.
 */
const isStoredUser = (value: unknown): value is SelfUser =>
  typeof value === 'object' && value !== null && 'id' in value && Number.isSafeInteger(value.id);

export const useIdentity = create<Identity>()(
  persist<Identity>(() => ({ user: null }), {
    name: identityStorageKey,
    version: 0,
    merge: (stored, current) => {
      const user = (stored as Partial<Identity> | undefined)?.user;
      // For users that an earlier release stored without these fields.
      const defaults = { isModerator: false, standing: goodStanding };
      return { ...current, user: isStoredUser(user) ? { ...defaults, ...user } : null };
    },
  }),
);

/** Returns the signed-in user; null when signed out. */
export const currentUser = (): SelfUser | null => useIdentity.getState().user;

export const signIn = (user: SelfUser): void => {
  useIdentity.setState({ user });
};

export const signOut = (): void => {
  useIdentity.setState({ user: null });
};

/** Merges changes into the signed-in user and raises `profileUpdated`; does nothing when signed out. */
export const mergeIntoUser = (changes: Partial<SelfUser>): void => {
  const { user } = useIdentity.getState();
  if (!user) return;
  useIdentity.setState({ user: { ...user, ...changes } });
  raise('profileUpdated', { userId: user.id });
};

/** Sets `data-signed-in` on the document while a user is signed in. */
const markDocument = (): void => {
  document.documentElement.toggleAttribute('data-signed-in', currentUser() !== null);
};

/**
 * Applies sign-ins and logouts of other tabs. Also keeps `data-signed-in` up to date, which the styles read and which
 * public/theme.js has set before the first paint.
 */
export const followIdentity = (): void => {
  markDocument();
  useIdentity.subscribe(markDocument);
  window.addEventListener('storage', (event) => {
    if (event.key === identityStorageKey) void useIdentity.persist.rehydrate();
  });
};
