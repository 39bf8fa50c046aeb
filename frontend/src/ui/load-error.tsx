import { cn } from '@/lib/class-names';
import { Button } from '@/ui/button';
import { copy } from '@/ui/copy';

export interface LoadErrorProps {
  text: string;
  onRetry: () => void;
  /** Centred in the view instead of at the top of a list. */
  isCentered?: boolean;
  className?: string;
}

/** Shown where data could not be loaded, with a retry button. */
export const LoadError = ({ text, onRetry, isCentered = false, className }: LoadErrorProps) => (
  <div
    className={cn(
      'grid gap-3',
      isCentered && 'm-auto max-w-md justify-items-center p-6 text-center',
      className,
    )}
  >
    <p role="alert" className={cn('text-muted-foreground', isCentered ? 'text-md' : 'text-base')}>
      {text}
    </p>
    <Button variant="secondary" className="w-fit" onClick={onRetry}>
      {copy.retry}
    </Button>
  </div>
);
