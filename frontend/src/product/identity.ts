import { type Standing } from '@thaw/contract/safety';
import { type SelfUser } from '@thaw/contract/users';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { raise } from '@/product/app-events';

/** Key in localStorage, named after the product (docs/product-decisions.md, A05). */
export const identityStorageKey = 'thaw-chat-auth';

interface Identity {
  /** The signed-in user. For display only: permissions are checked by the server. */
  user: SelfUser | null;
}

// Not imported from the contract, which would load its schemas on every page.
const goodStanding: Standing = { kind: 'good', since: null, until: null, noticeId: null };

const isStoredUser = (value: unknown): value is SelfUser =>
  typeof value === 'object' && value !== null && 'id' in value && Number.isSafeInteger(value.id);

export const useIdentity = create<Identity>()(
  persist<Identity>(() => ({ user: null }), {
    name: identityStorageKey,
    version: 0,
    merge: (stored, current) => {
      const user = (stored as Partial<Identity> | undefined)?.user;
      // Users stored by an earlier release lack these fields.
      const defaults = { isModerator: false, standing: goodStanding };
      return { ...current, user: isStoredUser(user) ? { ...defaults, ...user } : null };
    },
  }),
);

/** The signed-in user; null when signed out. */
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
 * Applies sign-ins and logouts of other tabs, and keeps `data-signed-in` on the document up to date for the styles.
 * Before the first paint, public/theme.js sets this attribute.
 */
export const followIdentity = (): void => {
  markDocument();
  useIdentity.subscribe(markDocument);
  window.addEventListener('storage', (event) => {
    if (event.key === identityStorageKey) void useIdentity.persist.rehydrate();
  });
};
