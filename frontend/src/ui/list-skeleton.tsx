import { cn } from '@/lib/class-names';

export interface ListSkeletonProps {
  /** Accessible name, which describes the content being loaded. */
  label: string;
  /** Shows pictures only, without lines of text. */
  isPicturesOnly?: boolean;
  className?: string;
}

/** Placeholder of a list of people. The class `appear-late` shows it only when loading takes longer than 150 ms. */
export const ListSkeleton = ({ label, isPicturesOnly = false, className }: ListSkeletonProps) => (
  <div role="status" className={cn('appear-late grid gap-3', className)}>
    <span className="sr-only">{label}</span>
    {[0, 1, 2].map((row) => (
      <div key={row} aria-hidden="true" className="flex items-center gap-3">
        <span className="size-10 rounded-full bg-raised" />
        {isPicturesOnly ? null : (
          <span className="grid flex-1 gap-2">
            <span className="h-3.5 w-3/5 rounded-full bg-raised" />
            <span className="h-3 w-1/4 rounded-full bg-raised" />
          </span>
        )}
      </div>
    ))}
  </div>
);
