import { cn } from '@/lib/class-names';

/** Grey bars in the shape of the content being loaded, with one accessible name. */
export const Skeleton = ({
  label,
  bars,
  className,
}: {
  label: string;
  /** Classes of each bar, which set its size. */
  bars: readonly string[];
  className?: string;
}) => (
  <div role="status" aria-label={label} className={cn('grid content-start gap-4', className)}>
    {bars.map((bar, index) => (
      <div key={index} className={cn('animate-pulse rounded-control bg-raised', bar)} />
    ))}
  </div>
);
