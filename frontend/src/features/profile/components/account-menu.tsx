import { type SelfUser } from '@thaw/contract/users';
import { LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { copy } from '@/features/profile/copy';
import { chooseTheme, useThemeChoice } from '@/lib/theme';
import { Avatar } from '@/ui/avatar';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '@/ui/menu';

const themes = [
  { value: 'dark', label: copy.account.themes.dark, icon: <Moon aria-hidden="true" /> },
  { value: 'light', label: copy.account.themes.light, icon: <Sun aria-hidden="true" /> },
  { value: 'system', label: copy.account.themes.system, icon: <Monitor aria-hidden="true" /> },
] as const;

/** My own block: who I am here, how it looks, and the way out. */
export const AccountMenu = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const theme = useThemeChoice();
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={copy.account.open(user.username)}
          className="flex h-11 items-center gap-3 rounded-full pr-1 pl-1 transition-colors hover:bg-raised data-[state=open]:bg-raised md:pl-4"
        >
          <span className="hidden max-w-48 truncate text-base font-semibold md:block">{user.username}</span>
          <Avatar id={user.id} name={user.username} picture={user.avatar} className="size-9" />
        </button>
      }
    >
      <div className="px-3 pt-2 pb-1">
        <p className="truncate text-base font-semibold">{user.username}</p>
        <p className="truncate text-sm text-muted-foreground">{user.email ?? copy.account.anonymous}</p>
      </div>
      <MenuSeparator />
      <MenuChoices label={copy.account.theme} value={theme} choices={themes} onChoose={chooseTheme} />
      <MenuSeparator />
      <MenuItem onSelect={onLogout}>
        <LogOut aria-hidden="true" />
        {copy.account.logout}
      </MenuItem>
    </Menu>
  );
};
