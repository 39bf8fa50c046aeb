import { cn } from '@/lib/class-names';
import { pageLimits } from '@/lib/page-limits';

export interface BadgeProps {
  count: number;
  /** What is counted, for screen readers. */
  label: string;
  className?: string;
}

/** Formats a count above the maximum as, for example, "99+". */
export const formatBadge = (count: number): string =>
  count > pageLimits.unreadBadgeMax ? `${pageLimits.unreadBadgeMax}+` : String(count);

/** A count on a background of the primary colour; renders nothing for zero. */
export const Badge = ({ count, label, className }: BadgeProps) =>
  count > 0 ? (
    <span
      className={cn(
        'inline-grid h-5 min-w-5 place-items-center rounded-full bg-primary px-1.5 text-xs font-bold text-primary-foreground tabular-nums',
        className,
      )}
    >
      {formatBadge(count)}
      <span className="sr-only"> {label}</span>
    </span>
  ) : null;
