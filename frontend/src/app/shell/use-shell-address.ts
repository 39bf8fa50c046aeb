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

const isShellModal = (dialog: OpenParts['dialog']): dialog is ShellModal =>
  dialog !== undefined && !profileDialogs.has(dialog);

/** Reads the open parts from the query string of an address; ignores unknown names. */
export const parseSearch = (search: string): OpenParts => {
  const params = new URLSearchParams(search);
  const friend = Number(params.get('friend'));
  const dialogEntry = Object.entries(dialogNames).find(([, name]) => name === params.get('dialog'));
  return {
    friend: Number.isSafeInteger(friend) && friend > 0 ? friend : undefined,
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

/** Set while the address is copied into two stores in turn: their intermediate state must not be written back. */
let isApplying = false;

const applyToStores = ({ friend, dialog }: OpenParts): void => {
  isApplying = true;
  useShell.setState({ openFriendId: friend, modal: isShellModal(dialog) ? dialog : undefined });
  useProfileDialogs.setState({ openDialog: dialog === undefined || isShellModal(dialog) ? null : dialog });
  isApplying = false;
};

/** State of a history entry. */
interface EntryState {
  /** The part whose opening added the entry. */
  added?: keyof OpenParts;
}

/**
 * What to do with the history. `replace` replaces the current entry; otherwise an entry is added. `added` becomes the
 * state of the entry; undefined if the entry belongs to no part, like the first entry of a visit.
 */
export type AddressChange = 'none' | 'back' | { added: keyof OpenParts | undefined; replace: boolean };

/**
 * Computes the history change that leads from `shown`, the state in the address, to `wanted`. Opening a part adds an
 * entry, and opening another friend or dialog in its place replaces the entry. Closing a part goes back if the current
 * entry was added for this part.
 * @param topPart the part whose opening added the current entry
 */
export const computeAddressChange = (
  shown: OpenParts,
  wanted: OpenParts,
  topPart: keyof OpenParts | undefined,
): AddressChange => {
  const hasChanged = (part: keyof OpenParts): boolean => shown[part] !== wanted[part];
  const isOpening = (part: keyof OpenParts): boolean =>
    shown[part] === undefined && wanted[part] !== undefined;
  const isClosing = (part: keyof OpenParts): boolean =>
    shown[part] !== undefined && wanted[part] === undefined;
  if (!hasChanged('friend') && !hasChanged('dialog')) return 'none';
  if (isOpening('dialog') && !hasChanged('friend')) return { added: 'dialog', replace: false };
  // A dialog may open or change at the same time; it then shares the entry of the friend.
  if (isOpening('friend') && !isClosing('dialog')) return { added: 'friend', replace: false };
  const otherPart = topPart === 'friend' ? 'dialog' : 'friend';
  if (topPart !== undefined && isClosing(topPart) && !hasChanged(otherPart)) return 'back';
  // While `topPart` is open, even with another friend or dialog, the current entry still belongs to it.
  if (topPart !== undefined && wanted[topPart] !== undefined) return { added: topPart, replace: true };
  // The part of the entry, if any, closes. A friend who is opened from a dialog takes over the entry; otherwise it
  // belongs to no part.
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
      const topPart = (location.state as EntryState | null)?.added;
      // `location.search` may be out of date: it changes only when the page is rendered again.
      return computeAddressChange(parseSearch(window.location.search), readOpenParts(), topPart);
    };
    const goBack = (): void => {
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
        goBackTimer = window.setTimeout(goBack);
        return;
      }
      const state: EntryState = change.added ? { added: change.added } : {};
      // The same click may close a sheet, which has a history entry but no address. This change replaces that entry.
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
