import { Ellipsis } from 'lucide-react';
import { copy } from '@/features/safety/copy';
import { useUnblock } from '@/features/safety/hooks/use-unblock';
import { askToBlock, type Person } from '@/features/safety/stores/block-dialog.store';
import { askToReport, type ReportedChat } from '@/features/safety/stores/report-dialog.store';
import { Menu } from '@/ui/menu';
import { type MenuItem } from '@/ui/menu-item';

export interface MoreAboutProps {
  userId: number;
  person: Person;
  /** What a report is about; if absent, the person cannot be reported here. */
  reportedChat?: ReportedChat | undefined;
  isBlocked?: boolean;
  /** Nothing is known of the person but their id: they can be reported, and neither blocked nor unblocked. */
  isUnknown?: boolean;
  /** Omits the name from the label, where only one person can be meant, and adds the house rules. */
  isShort?: boolean;
  /** Fits at the edge of a picture. */
  isSmall?: boolean;
  tabIndex?: number;
  className?: string;
}

/** A button with the menu of what the user can do about a person. */
export const MoreAbout = ({
  userId,
  person,
  reportedChat,
  isBlocked = false,
  isUnknown = false,
  isShort = false,
  isSmall = false,
  tabIndex,
  className,
}: MoreAboutProps) => {
  const { unblock } = useUnblock(userId, person.id);
  const block: MenuItem = isBlocked
    ? { label: copy.unblock.item, onSelect: unblock }
    : { label: copy.block.item, tone: 'destructive', onSelect: () => askToBlock(person) };
  const items: MenuItem[] = [
    ...(reportedChat ? [{ label: copy.report.item, onSelect: () => askToReport(person, reportedChat) }] : []),
    ...(isUnknown ? [] : [block]),
    ...(isShort ? [{ label: copy.rules.item, href: copy.rules.href }] : []),
  ];
  return (
    <Menu
      label={isShort ? copy.more : copy.moreAbout(person.username)}
      icon={<Ellipsis aria-hidden="true" className="size-5" />}
      items={items}
      tabIndex={tabIndex}
      isSmall={isSmall}
      className={className}
    />
  );
};
