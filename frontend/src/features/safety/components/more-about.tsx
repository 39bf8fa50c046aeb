import { Ellipsis } from 'lucide-react';
import { copy } from '@/features/safety/copy';
import { useUnblock } from '@/features/safety/hooks/use-unblock';
import { askToBlock, type Person } from '@/features/safety/stores/block-dialog.store';
import { Menu } from '@/ui/menu';
import { type MenuItem } from '@/ui/menu-item';

export interface MoreAboutProps {
  userId: number;
  person: Person;
  isBlocked?: boolean;
  /** Omits the name from the label, where only one person can be meant. */
  isShort?: boolean;
  tabIndex?: number;
  className?: string;
}

/** A button with the menu of what the user can do about a person. */
export const MoreAbout = ({
  userId,
  person,
  isBlocked = false,
  isShort = false,
  tabIndex,
  className,
}: MoreAboutProps) => {
  const { unblock } = useUnblock(userId, person.id);
  const items: MenuItem[] = [
    isBlocked
      ? { label: copy.unblock.item, onSelect: unblock }
      : { label: copy.block.item, tone: 'destructive', onSelect: () => askToBlock(person) },
  ];
  return (
    <Menu
      label={isShort ? copy.more : copy.moreAbout(person.username)}
      icon={<Ellipsis aria-hidden="true" className="size-5" />}
      items={items}
      tabIndex={tabIndex}
      className={className}
    />
  );
};
