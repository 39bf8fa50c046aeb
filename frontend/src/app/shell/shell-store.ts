import { create } from 'zustand';
import { browserStorage } from '@/lib/storage';

export type ShellModal = 'friend-requests' | 'chat-history' | 'switch-friend' | 'shortcuts';

interface Shell {
  /** Id of the friend whose private chat is shown over the random chat. */
  openFriendId: number | undefined;
  modal: ShellModal | undefined;
  /** Sidebar of a wide screen: 80 px when collapsed, 320 px otherwise. */
  isSidebarCollapsed: boolean;
  /** Sidebar of a small screen, which opens as an off-canvas sheet. */
  isSheetOpen: boolean;
}

const collapsedKey = 'thaw-sidebar-collapsed';

const createInitialState = (): Shell => ({
  openFriendId: undefined,
  modal: undefined,
  isSidebarCollapsed: browserStorage.read(collapsedKey) === 'true',
  isSheetOpen: false,
});

/** State of the page layout around the random chat: the open friend's chat, modal and sidebar. */
export const useShell = create<Shell>()(createInitialState);

export const shell = {
  /** Called when another user signs in on this page. */
  reset: (): void => useShell.setState(createInitialState()),
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
