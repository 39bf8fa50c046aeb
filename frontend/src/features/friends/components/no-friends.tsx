import { copy } from '@/features/friends/copy';
import { cn } from '@/lib/class-names';

/** Two who have not met yet, and the way between them. */
export const NoFriends = ({ isCollapsed }: { isCollapsed: boolean }) => (
  <div className={cn('grid justify-items-center gap-4 text-center', isCollapsed ? 'pt-2' : 'px-4 pt-8')}>
    <svg
      viewBox="0 0 96 64"
      fill="none"
      strokeWidth="2.5"
      strokeLinecap="round"
      aria-hidden="true"
      className={isCollapsed ? 'w-10' : 'w-28'}
    >
      <path className="stroke-border" strokeDasharray="1 7" d="M34 24c8-9 20-9 28 0" />
      <circle className="fill-primary" cx="22" cy="28" r="10" />
      <path className="stroke-primary" d="M6 58c1-10 7-16 16-16s15 6 16 16" />
      <circle className="stroke-input" strokeDasharray="4 5" cx="74" cy="28" r="10" />
      <path className="stroke-input" strokeDasharray="4 5" d="M58 58c1-10 7-16 16-16s15 6 16 16" />
    </svg>
    <p className={isCollapsed ? 'sr-only' : 'text-base text-balance text-muted-foreground'}>
      {copy.list.empty}
    </p>
  </div>
);
