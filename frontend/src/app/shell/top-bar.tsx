import { History, PanelLeft, UserRoundPlus } from 'lucide-react';
import { copy } from '@/app/copy';
import { shell, useShell } from '@/app/shell/shell-store';
import { ConnectionIndicator } from '@/chat-ui/connection-indicator';
import { useConnection } from '@/lib/socket/connection';
import { useIsWide } from '@/lib/use-is-wide';
import { productName } from '@/product/document-title';
import { Logo, LogoMark } from '@/product/logo';
import { Badge } from '@/product/badge';
import { Button } from '@/ui/button';
import { Link } from '@/ui/link';

export interface TopBarProps {
  pendingRequests: number;
  /** Number of unread messages from friends; shown while the friends list is hidden. */
  unreadMessages: number;
}

/**
 * Logo, connection state, friend requests with their count, and chat history. On small screens, where the sidebar is a
 * sheet, also the button that opens it.
 */
export const TopBar = ({ pendingRequests, unreadMessages }: TopBarProps) => {
  const isWide = useIsWide();
  const isSheetOpen = useShell((state) => state.isSheetOpen);
  const hasFailed = useConnection(({ status }) => status.kind === 'failed');
  // On a small screen there is no room for the name next to the Reconnect button that follows a failure.
  const showsProductName = isWide || !hasFailed;
  return (
    <header
      // Toasts appear below elements with this attribute.
      data-controls=""
      className="flex h-16 short:h-12 shrink-0 items-center justify-between gap-2 px-2 sm:px-4 md:px-6"
    >
      <div className="flex min-w-0 items-center gap-1">
        {isWide ? null : (
          <Button
            variant="ghost"
            size="icon"
            aria-expanded={isSheetOpen}
            aria-haspopup="dialog"
            onClick={() => shell.setSheetOpen(true)}
          >
            <PanelLeft aria-hidden="true" className="size-5" />
            <span className="sr-only">{copy.sidebar.open}</span>
            <Badge
              count={unreadMessages}
              label={copy.sidebar.unread}
              className="absolute -top-0.5 -right-0.5"
            />
          </Button>
        )}
        <Link to="/" className="-m-2 rounded-control p-2 max-md:m-0 max-md:p-1">
          {showsProductName ? (
            <Logo
              // Hides the product name on screens narrower than 360 px.
              className="max-[22.5rem]:[&>span]:sr-only"
            />
          ) : (
            <>
              <LogoMark />
              <span className="sr-only">{productName}</span>
            </>
          )}
        </Link>
      </div>
      <div className="flex items-center gap-1 md:gap-3">
        <ConnectionIndicator />
        <Button variant="ghost" size="icon" onClick={() => shell.show('friend-requests')}>
          <UserRoundPlus aria-hidden="true" className="size-5" />
          <span className="sr-only">{copy.topBar.requests}</span>
          <Badge
            count={pendingRequests}
            label={copy.topBar.pending}
            className="absolute -top-0.5 -right-0.5"
          />
        </Button>
        <Button variant="ghost" size="icon" onClick={() => shell.show('chat-history')}>
          <History aria-hidden="true" className="size-5" />
          <span className="sr-only">{copy.topBar.history}</span>
        </Button>
      </div>
    </header>
  );
};
