import { type SelfUser } from '@thaw/contract/users';
import { Keyboard, LogOut } from 'lucide-react';
import { copy } from '@/app/copy';
import { shell } from '@/app/shell/shell-store';
import { openProfileSettings } from '@/features/profile/profile-dialogs.store';
import { cn } from '@/lib/class-names';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { Tooltip } from '@/ui/tooltip';

export interface ProfileBlockProps {
  user: SelfUser;
  isCollapsed: boolean;
  onLogout: () => void;
}

/**
 * The user's name and picture, which open Profile Settings, and the button Logout. On devices with a fine pointer, also
 * a button for the list of shortcuts.
 */
export const ProfileBlock = ({ user, isCollapsed, onLogout }: ProfileBlockProps) => (
  <div
    className={cn(
      'mt-1 flex shrink-0 items-center gap-1 border-t border-border pt-3',
      isCollapsed ? 'mx-3 flex-col' : 'mx-2',
    )}
  >
    <button
      type="button"
      aria-haspopup="dialog"
      className={cn(
        'flex min-w-0 items-center gap-3 rounded-control text-left transition-colors hover:bg-raised',
        isCollapsed ? 'size-14 justify-center rounded-card' : 'min-h-14 flex-1 px-2 py-1.5',
      )}
      onClick={() => {
        // On small screens, the sidebar with this block is a sheet. It closes before the dialog opens.
        shell.setSheetOpen(false);
        openProfileSettings();
      }}
    >
      <Avatar id={user.id} name={user.username} picture={user.avatar} />
      <span className={isCollapsed ? 'sr-only' : 'min-w-0'}>
        <span className="sr-only">{copy.profile.open} </span>
        <span dir="auto" title={user.username} className="block truncate text-left text-base font-semibold">
          {user.username}
        </span>
        <span className="block truncate text-sm text-muted-foreground">
          {user.isAnonymous ? copy.profile.anonymous : copy.profile.account}
        </span>
      </span>
    </button>
    <Tooltip label={copy.profile.shortcuts} side={isCollapsed ? 'right' : 'top'}>
      <Button
        variant="ghost"
        size="icon"
        aria-haspopup="dialog"
        className="text-muted-foreground not-pointer-fine:hidden"
        onClick={() => shell.show('shortcuts')}
      >
        <Keyboard aria-hidden="true" className="size-5" />
        <span className="sr-only">{copy.profile.shortcuts}</span>
      </Button>
    </Tooltip>
    <Tooltip label={copy.profile.logout} side={isCollapsed ? 'right' : 'top'}>
      <Button variant="ghost" size="icon" className="text-muted-foreground" onClick={onLogout}>
        <LogOut aria-hidden="true" className="size-5" />
        <span className="sr-only">{copy.profile.logout}</span>
      </Button>
    </Tooltip>
  </div>
);
