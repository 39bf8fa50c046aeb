import { useEffect, useLayoutEffect } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { useShell, type ShellModal } from '@/app/shell/shell-store';
import { useProfileDialogs, type ProfileDialog } from '@/features/profile/profile-dialogs.store';
import { isOverlayEntry } from '@/lib/use-back-closes';
import { currentUser } from '@/product/identity';

/** What lies over the random chat: a friend's chat, and over both a dialog. */
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

/** Two stores take the address over one after the other; what is between is not to be written back. */
let isAdopting = false;

const adopt = ({ friend, dialog }: Opened): void => {
  isAdopting = true;
  useShell.setState({ openFriendId: friend, modal: isShellModal(dialog) ? dialog : undefined });
  useProfileDialogs.setState({ open: dialog === undefined || isShellModal(dialog) ? null : dialog });
  isAdopting = false;
};

/** Which part of the address an entry of the history was added for. */
interface EntryState {
  added?: keyof Opened;
}

export type AddressChange = 'none' | 'back' | { added: keyof Opened | undefined; replace: boolean };

/**
 * How the history follows from `shown`, which is in the address, to `wanted`: what opens adds an entry, what takes its
 * place replaces it, and what closes goes back, if its entry is the one on top.
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

/** Keeps what is open in the address: Back closes it, a reload keeps it, and a friend's chat can be linked to. */
export const useShellAddress = (): void => {
  const location = useLocation();
  const navigate = useNavigate();

  // Before the subscription below, which compares with what is adopted here.
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
      // Signed out: the page goes to another address.
      if (isAdopting || !currentUser()) return;
      const change = changeNow();
      if (change === 'none') return;
      if (change === 'back') {
        // Later: the same press may open something else in its place.
        closing = window.setTimeout(goBack);
        return;
      }
      const state: EntryState = change.added ? { added: change.added } : {};
      // The entry of a sheet that closes with the press is used again.
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
