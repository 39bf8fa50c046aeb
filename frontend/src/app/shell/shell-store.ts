import { create } from 'zustand';
import { browserStorage } from '@/lib/storage';

export type ShellModal = 'friend-requests' | 'chat-history' | 'switch-friend' | 'shortcuts';

interface Shell {
  /** Whose private chat lies over the random chat. */
  openFriendId: number | undefined;
  modal: ShellModal | undefined;
  /** The sidebar on a wide screen: 80 or 320 px. */
  isSidebarCollapsed: boolean;
  /** The sidebar on a small screen: off-canvas or a sheet. */
  isSheetOpen: boolean;
}

const collapsedKey = 'thaw-sidebar-collapsed';

const atStart = (): Shell => ({
  openFriendId: undefined,
  modal: undefined,
  isSidebarCollapsed: browserStorage.read(collapsedKey) === 'true',
  isSheetOpen: false,
});

/** What is open around the random chat; distant parts of the page share it. */
export const useShell = create<Shell>()(atStart);

export const shell = {
  /** Somebody else at this page. */
  reset: (): void => useShell.setState(atStart()),
  openFriend: (openFriendId: number): void => useShell.setState({ openFriendId, isSheetOpen: false }),
  closeFriend: (): void => useShell.setState({ openFriendId: undefined }),
  show: (modal: ShellModal): void => useShell.setState({ modal, isSheetOpen: false }),
  dismiss: (): void => useShell.setState({ modal: undefined }),
  setSheetOpen: (isSheetOpen: boolean): void => useShell.setState({ isSheetOpen }),
  toggleSidebar: (): void =>
    useShell.setState(({ isSidebarCollapsed }) => {
      browserStorage.write(collapsedKey, String(!isSidebarCollapsed));
      return { isSidebarCollapsed: !isSidebarCollapsed };
    }),
};
