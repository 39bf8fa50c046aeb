import { copy } from '@/features/friends/copy';
import { EmptyState } from '@/ui/empty-state';

/** The empty list of friends, with a drawing of two people and a line between them. */
export const NoFriends = ({ isCollapsed }: { isCollapsed: boolean }) => (
  <EmptyState text={copy.list.empty} height={64} isCompact={isCollapsed}>
    <path className="stroke-border" strokeDasharray="1 7" d="M34 24c8-9 20-9 28 0" />
    <circle className="fill-primary" cx="22" cy="28" r="10" />
    <path className="stroke-primary" d="M6 58c1-10 7-16 16-16s15 6 16 16" />
    <circle className="stroke-input" strokeDasharray="4 5" cx="74" cy="28" r="10" />
    <path className="stroke-input" strokeDasharray="4 5" d="M58 58c1-10 7-16 16-16s15 6 16 16" />
  </EmptyState>
);
