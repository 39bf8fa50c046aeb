import { PanelLeftClose, PanelLeftOpen, X } from 'lucide-react';
import * as Dialog from 'radix-ui/dialog';
import { useEffect, useRef, type ReactNode, type TouchEvent } from 'react';
import { copy } from '@/app/copy';
import { shell, useShell } from '@/app/shell/shell-store';
import { pageLimits } from '@/lib/page-limits';
import { measureHorizontalSwipe, type Point } from '@/lib/swipe';
import { useCloseOnBack } from '@/lib/use-close-on-back';
import { useIsWide } from '@/lib/use-is-wide';
import { Button } from '@/ui/button';
import { rememberFocus, returnFocus } from '@/ui/focus-return';

/** Props of the content of the sidebar. */
export interface SidebarContentProps {
  isCollapsed: boolean;
  /** Button that collapses, expands or closes the sidebar. */
  toggleButton: ReactNode;
}

export interface SidebarProps {
  children: (props: SidebarContentProps) => ReactNode;
  /** Renders the block about the user, at the bottom. */
  renderProfile: (props: { isCollapsed: boolean }) => ReactNode;
}

/** The sidebar of a wide screen, next to the chat. */
const WideSidebar = ({ children, renderProfile }: SidebarProps) => {
  // Closes the sheet, the sidebar of a small screen. Otherwise it would be open when the window becomes narrow again.
  useEffect(() => shell.setSheetOpen(false), []);
  const isCollapsed = useShell((state) => state.isSidebarCollapsed);
  const Icon = isCollapsed ? PanelLeftOpen : PanelLeftClose;
  const toggleButton = (
    <Button variant="ghost" size="icon" aria-expanded={!isCollapsed} onClick={shell.toggleSidebar}>
      <Icon aria-hidden="true" className="size-5 text-muted-foreground" />
      <span className="sr-only">{isCollapsed ? copy.sidebar.expand : copy.sidebar.collapse}</span>
    </Button>
  );
  return (
    <aside
      aria-label={copy.sidebar.label}
      style={{ width: isCollapsed ? pageLimits.sidebarCollapsedPx : pageLimits.sidebarExpandedPx }}
      className="flex min-h-0 shrink-0 flex-col pb-3"
    >
      {children({ isCollapsed, toggleButton })}
      {renderProfile({ isCollapsed })}
    </aside>
  );
};

const minClosingSwipePx = 60;

/** Touch handlers that close the sheet on a swipe to the left. */
const useSwipeToClose = (close: () => void) => {
  const start = useRef<Point | null>(null);
  return {
    onTouchStart: ({ touches }: TouchEvent) => {
      // Only a touch with one finger is a swipe.
      const touch = touches.length === 1 ? touches[0] : undefined;
      start.current = touch ? { x: touch.clientX, y: touch.clientY } : null;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const touch = changedTouches[0];
      if (!start.current || !touch) return;
      // Negative to the left, and 0 if the movement is not clearly horizontal.
      const movedPx = measureHorizontalSwipe(start.current, { x: touch.clientX, y: touch.clientY });
      if (movedPx <= -minClosingSwipePx) close();
    },
  };
};

/** The sidebar of a small screen: off-canvas until opened. It traps the focus while it is open. */
const SheetSidebar = ({ children, renderProfile }: SidebarProps) => {
  const isOpen = useShell((state) => state.isSheetOpen);
  const close = (): void => shell.setSheetOpen(false);
  useCloseOnBack(isOpen, close);
  const swipeHandlers = useSwipeToClose(close);
  const closeButton = (
    <Dialog.Close asChild>
      <Button variant="ghost" size="icon">
        <X aria-hidden="true" className="size-5 text-muted-foreground" />
        <span className="sr-only">{copy.sidebar.close}</span>
      </Button>
    </Dialog.Close>
  );
  return (
    <Dialog.Root open={isOpen} onOpenChange={shell.setSheetOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil fixed inset-0 z-sheet bg-overlay backdrop-blur-[2px]" />
        <Dialog.Content
          // Without this prop, Radix warns that the dialog has no description.
          aria-describedby={undefined}
          onOpenAutoFocus={rememberFocus}
          onCloseAutoFocus={returnFocus}
          {...swipeHandlers}
          style={{ width: pageLimits.sidebarExpandedPx }}
          className="from-the-left fixed inset-y-0 left-0 z-sheet flex max-w-[88vw] flex-col rounded-r-sheet bg-background pt-[max(0.25rem,env(safe-area-inset-top))] pb-[max(0.75rem,env(safe-area-inset-bottom))] shadow-elevated outline-none"
        >
          <Dialog.Title className="sr-only">{copy.sidebar.label}</Dialog.Title>
          {children({ isCollapsed: false, toggleButton: closeButton })}
          {renderProfile({ isCollapsed: false })}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
};

/** The sidebar in the form that fits the screen. */
export const Sidebar = (props: SidebarProps) =>
  useIsWide() ? <WideSidebar {...props} /> : <SheetSidebar {...props} />;
