import { useEffect, useLayoutEffect } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { useShell, type ShellModal } from '@/app/shell/shell-store';
import { useProfileDialogs, type ProfileDialog } from '@/features/profile/profile-dialogs.store';
import { isOverlayEntry } from '@/lib/use-back-closes';
import { currentUser } from '@/product/identity';

/** What covers the random chat: a friend's chat, and a dialog on top of either. */
export interface Opened {
  friend: number | undefined;
  dialog: ShellModal | ProfileDialog | undefined;
}

const dialogNames = {
  'friend-requests': 'requests',
  'chat-history': 'history',
  'switch-friend': 'switch',
  shortcuts: 'shortcuts',
  settings: 'settings',
  'anonymous-prompt': 'anonymous',
  conversion: 'account',
} as const satisfies Record<ShellModal | ProfileDialog, string>;

const profileDialogs: ReadonlySet<Opened['dialog']> = new Set(['settings', 'anonymous-prompt', 'conversion']);

const isShellModal = (dialog: Opened['dialog']): dialog is ShellModal =>
  dialog !== undefined && !profileDialogs.has(dialog);

export const openedIn = (search: string): Opened => {
  const params = new URLSearchParams(search);
  const friend = Number(params.get('friend'));
  const named = Object.entries(dialogNames).find(([, name]) => name === params.get('dialog'));
  return {
    friend: Number.isSafeInteger(friend) && friend > 0 ? friend : undefined,
    dialog: named?.[0] as Opened['dialog'],
  };
};

export const searchOf = ({ friend, dialog }: Opened): string => {
  const params = new URLSearchParams();
  if (friend !== undefined) params.set('friend', String(friend));
  if (dialog !== undefined) params.set('dialog', dialogNames[dialog]);
  const search = params.toString();
  return search && `?${search}`;
};

const openedNow = (): Opened => ({
  friend: useShell.getState().openFriendId,
  dialog: useShell.getState().modal ?? useProfileDialogs.getState().open ?? undefined,
});

/** Set while the address is copied into two stores in turn: their intermediate state must not be written back. */
let isAdopting = false;

const adopt = ({ friend, dialog }: Opened): void => {
  isAdopting = true;
  useShell.setState({ openFriendId: friend, modal: isShellModal(dialog) ? dialog : undefined });
  useProfileDialogs.setState({ open: dialog === undefined || isShellModal(dialog) ? null : dialog });
  isAdopting = false;
};

/** The part of the address that this history entry was added for. */
interface EntryState {
  added?: keyof Opened;
}

export type AddressChange = 'none' | 'back' | { added: keyof Opened | undefined; replace: boolean };

/**
 * Computes the history change that leads from `shown`, the state in the address, to `wanted`. Opening adds an entry,
 * replacing what is open replaces it, and closing goes back if `top`, the part that the current entry was added for, is
 * what closes.
 */
export const addressChange = (
  shown: Opened,
  wanted: Opened,
  top: keyof Opened | undefined,
): AddressChange => {
  const changed = (part: keyof Opened): boolean => shown[part] !== wanted[part];
  const isOpening = (part: keyof Opened): boolean => shown[part] === undefined && wanted[part] !== undefined;
  const isClosing = (part: keyof Opened): boolean => shown[part] !== undefined && wanted[part] === undefined;
  if (!changed('friend') && !changed('dialog')) return 'none';
  if (isOpening('dialog') && !changed('friend')) return { added: 'dialog', replace: false };
  if (isOpening('friend') && !isClosing('dialog')) return { added: 'friend', replace: false };
  const isTopAlone = top !== undefined && isClosing(top) && !changed(top === 'friend' ? 'dialog' : 'friend');
  if (isTopAlone) return 'back';
  const added = top !== undefined && wanted[top] !== undefined ? top : undefined;
  return { added: added ?? (isOpening('friend') ? 'friend' : undefined), replace: true };
};

/**
 * Keeps what is open in the address, so that Back closes it, a reload keeps it, and a friend's chat can be linked to.
 */
export const useShellAddress = (): void => {
  const location = useLocation();
  const navigate = useNavigate();

  // Runs before the subscription below, which compares with the state adopted here.
  useLayoutEffect(() => adopt(openedIn(location.search)), [location.search]);

  useEffect(() => {
    let closing: number | undefined;
    const changeNow = (): AddressChange => {
      const top = (location.state as EntryState | null)?.added;
      return addressChange(openedIn(window.location.search), openedNow(), top);
    };
    const goBack = (): void => {
      if (changeNow() === 'back') void navigate(-1);
    };
    const follow = (): void => {
      window.clearTimeout(closing);
      // After a logout the page navigates away on its own.
      if (isAdopting || !currentUser()) return;
      const change = changeNow();
      if (change === 'none') return;
      if (change === 'back') {
        // Deferred: the same press may open something else instead.
        closing = window.setTimeout(goBack);
        return;
      }
      const state: EntryState = change.added ? { added: change.added } : {};
      // Reuse the entry of a sheet that closes with the same press.
      const replace = change.replace || isOverlayEntry();
      void navigate({ search: searchOf(openedNow()) }, { replace, state });
    };
    const stops = [useShell.subscribe(follow), useProfileDialogs.subscribe(follow)];
    return () => {
      window.clearTimeout(closing);
      for (const stop of stops) stop();
    };
  }, [location, navigate]);
};
