import { type SelfUser } from '@thaw/contract/users';
import { LogOut } from 'lucide-react';
import { useId } from 'react';
import { copy } from '@/features/profile/copy';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { ThemeChoice } from '@/ui/theme-choice';

/** My own block: who I am here, how it looks, and the way out. */
export const AccountMenu = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const panelId = useId();
  return (
    <>
      <button
        type="button"
        popoverTarget={panelId}
        className="flex h-11 items-center gap-3 rounded-full px-1 transition-colors hover:bg-raised md:pl-4"
      >
        <span className="sr-only">{copy.account.open}</span>
        <span className="max-w-48 truncate text-base font-semibold max-md:sr-only">{user.username}</span>
        <Avatar id={user.id} name={user.username} picture={user.avatar} className="size-9" />
      </button>
      <div
        id={panelId}
        popover="auto"
        className="pop fixed inset-auto top-16 right-3 w-72 rounded-card border border-border bg-popover p-4 text-foreground shadow-elevated md:right-6"
      >
        <p className="truncate text-md font-bold">{user.username}</p>
        <p className="truncate text-sm text-muted-foreground">{user.email ?? copy.account.anonymous}</p>
        <div className="my-4">
          <ThemeChoice legend={copy.account.theme} labels={copy.account.themes} />
        </div>
        <Button variant="secondary" className="w-full" onClick={onLogout}>
          <LogOut aria-hidden="true" />
          {copy.account.logout}
        </Button>
      </div>
    </>
  );
};
