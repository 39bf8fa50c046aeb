import { useEffect, useLayoutEffect } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { useShell, type ShellModal } from '@/app/shell/shell-store';
import { useProfileDialogs, type ProfileDialog } from '@/features/profile/profile-dialogs.store';
import { isOverlayEntry } from '@/lib/use-close-on-back';
import { currentUser } from '@/product/identity';

/** The parts of the page that cover the random chat: a friend's chat, and a dialog on top of either chat. */
export interface OpenParts {
  /** Id of the friend. */
  friend: number | undefined;
  dialog: ShellModal | ProfileDialog | undefined;
}
type Part = keyof OpenParts;

/** Names of the dialogs in the address. */
const dialogNames = {
  'friend-requests': 'requests',
  'chat-history': 'history',
  'switch-friend': 'switch',
  shortcuts: 'shortcuts',
  settings: 'settings',
  'anonymous-prompt': 'anonymous',
  conversion: 'account',
} as const satisfies Record<ShellModal | ProfileDialog, string>;

const profileDialogs: ReadonlySet<OpenParts['dialog']> = new Set([
  'settings',
  'anonymous-prompt',
  'conversion',
]);

const isProfileDialog = (dialog: OpenParts['dialog']): dialog is ProfileDialog => profileDialogs.has(dialog);

/** Reads the open parts from the query string of an address; ignores unknown names. */
export const parseSearch = (search: string): OpenParts => {
  const params = new URLSearchParams(search);
  const friendId = Number(params.get('friend')); // 0 if there is none
  const dialogEntry = Object.entries(dialogNames).find(([, name]) => name === params.get('dialog'));
  return {
    friend: Number.isSafeInteger(friendId) && friendId > 0 ? friendId : undefined,
    dialog: dialogEntry?.[0] as OpenParts['dialog'],
  };
};

/** The inverse of `parseSearch`. */
export const formatSearch = ({ friend, dialog }: OpenParts): string => {
  const params = new URLSearchParams();
  if (friend !== undefined) params.set('friend', String(friend));
  if (dialog !== undefined) params.set('dialog', dialogNames[dialog]);
  const search = params.toString();
  return search && `?${search}`;
};

const readOpenParts = (): OpenParts => ({
  friend: useShell.getState().openFriendId,
  dialog: useShell.getState().modal ?? useProfileDialogs.getState().openDialog ?? undefined,
});

/** Set while `applyToStores` changes two stores, one after the other. The state between must not reach the address. */
let isApplying = false;

const applyToStores = ({ friend, dialog }: OpenParts): void => {
  isApplying = true;
  useShell.setState({ openFriendId: friend, modal: isProfileDialog(dialog) ? undefined : dialog });
  useProfileDialogs.setState({ openDialog: isProfileDialog(dialog) ? dialog : null });
  isApplying = false;
};

/** State of a history entry. */
interface EntryState {
  /** The part whose opening added the entry. Absent if the entry belongs to no part, like the first one of a visit. */
  added?: Part;
}

/**
 * What to do with the history: nothing, go back, or write an entry. With `replace` it replaces the current entry;
 * otherwise it is added. `added` is stored in the state of the written entry (see `EntryState`).
 */
export type AddressChange = 'none' | 'back' | { added: Part | undefined; replace: boolean };

/**
 * Computes the history change that leads from `shown`, the state in the address, to `wanted`. Opening a part adds an
 * entry. Closing a part goes back if the current entry was added for this part. Other changes replace the current
 * entry, for example when another friend's chat opens in place of the shown one.
 * @param added the part whose opening added the current entry
 */
export const computeAddressChange = (
  shown: OpenParts,
  wanted: OpenParts,
  added: Part | undefined,
): AddressChange => {
  const hasChanged = (part: Part): boolean => shown[part] !== wanted[part];
  const isOpening = (part: Part): boolean => shown[part] === undefined && wanted[part] !== undefined;
  const isClosing = (part: Part): boolean => shown[part] !== undefined && wanted[part] === undefined;

  if (!hasChanged('friend') && !hasChanged('dialog')) return 'none';
  if (isOpening('dialog') && !hasChanged('friend')) return { added: 'dialog', replace: false };
  // If a dialog opens or changes at the same time, it shares the new entry.
  if (isOpening('friend') && !isClosing('dialog')) return { added: 'friend', replace: false };

  if (added !== undefined) {
    const otherPart = added === 'friend' ? 'dialog' : 'friend';
    if (isClosing(added) && !hasChanged(otherPart)) return 'back';
    // The part that added the entry stays open, perhaps with another friend or dialog, and keeps the entry.
    if (wanted[added] !== undefined) return { added, replace: true };
  }

  // The entry belongs to no part, or to a part that closes while the other part changes. A friend's chat that opens as
  // the dialog closes takes the entry over. Otherwise the entry now belongs to no part.
  return { added: isOpening('friend') ? 'friend' : undefined, replace: true };
};

/**
 * Keeps the address in sync with the open parts, so that Back closes them, a reload restores them, and a friend's chat
 * has a link.
 */
export const useShellAddress = (): void => {
  const location = useLocation();
  const navigate = useNavigate();

  // A layout effect runs before the effect below, so the stores match the address when the subscription begins.
  useLayoutEffect(() => applyToStores(parseSearch(location.search)), [location.search]);

  useEffect(() => {
    let goBackTimer: number | undefined;
    const computeCurrentChange = (): AddressChange => {
      // `location.search` may be out of date: it changes only when the page is rendered again.
      const shown = parseSearch(window.location.search);
      return computeAddressChange(shown, readOpenParts(), (location.state as EntryState | null)?.added);
    };
    const goBackIfStillDue = (): void => {
      if (computeCurrentChange() === 'back') void navigate(-1);
    };
    const updateAddress = (): void => {
      window.clearTimeout(goBackTimer);
      // After a logout the page navigates away on its own.
      if (isApplying || !currentUser()) return;
      const change = computeCurrentChange();
      if (change === 'none') return;
      if (change === 'back') {
        // Deferred: the same click may open another part instead.
        goBackTimer = window.setTimeout(goBackIfStillDue);
        return;
      }
      const state: EntryState = change.added ? { added: change.added } : {};
      // The same click may close a sheet or a photo, whose history entry is then still the current one (see
      // `useCloseOnBack`). This change replaces that entry.
      const replace = change.replace || isOverlayEntry();
      void navigate({ search: formatSearch(readOpenParts()) }, { replace, state });
    };
    const unsubscribers = [useShell.subscribe(updateAddress), useProfileDialogs.subscribe(updateAddress)];
    return () => {
      window.clearTimeout(goBackTimer);
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  }, [location, navigate]);
};
