import { countCodePoints, normalizeText } from '@thaw/contract/text';
import { useId } from 'react';
import { cn } from '@/lib/class-names';

export interface TextAreaProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  maxCodePoints: number;
  /** Length, in code points, from which the counter is shown. */
  counterMinCodePoints: number;
  /** Formats the length, such as '900 of 1,000 characters'. */
  formatCount: (length: number, maximum: number) => string;
  rows?: number;
  isDisabled?: boolean;
  className?: string;
}

/** A labelled multi-line field. Like the server, it counts the code points of the normalized text. */
export const TextArea = ({
  label,
  value,
  onChange,
  maxCodePoints,
  counterMinCodePoints,
  formatCount,
  rows = 3,
  isDisabled = false,
  className,
}: TextAreaProps) => {
  const id = useId();
  const length = countCodePoints(normalizeText(value));
  const isTooLong = length > maxCodePoints;
  const showsCount = length >= counterMinCodePoints;
  return (
    <div className={cn('grid gap-1', className)}>
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      <textarea
        id={id}
        dir="auto"
        rows={rows}
        value={value}
        disabled={isDisabled}
        aria-invalid={isTooLong || undefined}
        aria-describedby={showsCount ? `${id}-count` : undefined}
        className={cn(
          'w-full resize-y rounded-control border border-input bg-background px-4 py-3 text-base text-foreground pointer-coarse:text-md',
          'transition-colors hover:border-foreground disabled:opacity-50',
          'focus-visible:outline-2 focus-visible:outline-offset-0 aria-invalid:border-destructive',
        )}
        onChange={({ target }) => onChange(target.value)}
      />
      {/* Present while it is empty too: screen readers announce only the changes of an existing status. */}
      <p
        id={`${id}-count`}
        role="status"
        className={cn(
          'text-right text-xs tabular-nums empty:sr-only',
          isTooLong ? 'text-destructive' : 'text-muted-foreground',
        )}
      >
        {showsCount ? formatCount(length, maxCodePoints) : null}
      </p>
    </div>
  );
};
