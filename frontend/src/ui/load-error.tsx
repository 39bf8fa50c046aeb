import { cn } from '@/lib/class-names';
import { Button } from '@/ui/button';

export interface LoadErrorProps {
  text: string;
  retryLabel: string;
  onRetry: () => void;
  className?: string;
}

/** Stands where something could not be loaded, with a way to try again. */
export const LoadError = ({ text, retryLabel, onRetry, className }: LoadErrorProps) => (
  <div className={cn('grid gap-3', className)}>
    <p role="alert" className="text-base text-muted-foreground">
      {text}
    </p>
    <Button variant="secondary" className="w-fit" onClick={onRetry}>
      {retryLabel}
    </Button>
  </div>
);
