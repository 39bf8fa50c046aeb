import { Ellipsis } from 'lucide-react';
import { copy } from '@/features/safety/copy';
import { useUnblock } from '@/features/safety/hooks/use-unblock';
import { openBlockDialog, type Person } from '@/features/safety/stores/block-dialog.store';
import { openReportDialog, type ReportedChat } from '@/features/safety/stores/report-dialog.store';
import { Menu } from '@/ui/menu';
import { type MenuItem } from '@/ui/menu-item';

export interface PersonMenuProps {
  /** The signed-in user. */
  userId: number;
  person: Person;
  /** The chat that a report is about; if absent, the person cannot be reported here. */
  reportedChat?: ReportedChat | undefined;
  isBlocked?: boolean;
  /** The profile could not be loaded. The person can be reported, but neither blocked nor unblocked. */
  isUnknown?: boolean;
  /**
   * The menu is in the toolbar of a random chat. It also links to the house rules. Its label is short, without the
   * name, because only the partner can be meant.
   */
  isInToolbar?: boolean;
  /** Makes the button small, to fit at the edge of the person's picture. */
  isSmall?: boolean;
  tabIndex?: number;
  className?: string;
}

/** A button that opens a menu with the actions on a person: report, and block or unblock. */
export const PersonMenu = ({
  userId,
  person,
  reportedChat,
  isBlocked = false,
  isUnknown = false,
  isInToolbar = false,
  isSmall = false,
  tabIndex,
  className,
}: PersonMenuProps) => {
  const { unblock } = useUnblock(userId, person.id);
  const blockOrUnblock: MenuItem = isBlocked
    ? { label: copy.unblock.item, onSelect: unblock }
    : { label: copy.block.item, tone: 'destructive', onSelect: () => openBlockDialog(person) };
  const items: MenuItem[] = [];
  if (reportedChat) {
    items.push({ label: copy.report.item, onSelect: () => openReportDialog(person, reportedChat) });
  }
  if (!isUnknown) items.push(blockOrUnblock);
  if (isInToolbar) items.push({ label: copy.rules.item, href: copy.rules.href });
  return (
    <Menu
      label={isInToolbar ? copy.more : copy.moreAbout(person.username)}
      icon={<Ellipsis aria-hidden="true" className="size-5" />}
      items={items}
      tabIndex={tabIndex}
      isSmall={isSmall}
      className={className}
    />
  );
};
