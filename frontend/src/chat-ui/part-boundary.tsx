import { type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';
import { reportRenderError } from '@/lib/report-error';
import { Button } from '@/ui/button';

export interface PartBoundaryProps {
  /** A sentence that says which part cannot be shown. */
  title: string;
  /** After an error, a change of one of these renders the part again. */
  resetKeys?: unknown[];
  /** Adds a close button beside the retry button. */
  onClose?: () => void;
  className?: string;
  children: ReactNode;
}

/** Confines a rendering error to one part of the page and offers a retry. */
export const PartBoundary = ({ title, resetKeys, onClose, className, children }: PartBoundaryProps) => (
  <ErrorBoundary
    {...(resetKeys ? { resetKeys } : {})}
    onError={reportRenderError}
    fallbackRender={({ resetErrorBoundary }) => (
      <div
        role="alert"
        className={cn('flex flex-wrap items-center justify-center gap-x-4 gap-y-2 p-3 text-base', className)}
      >
        <p className="text-muted-foreground">{title}</p>
        <Button size="sm" variant="secondary" onClick={resetErrorBoundary}>
          {copy.broken.retry}
        </Button>
        {onClose ? (
          <Button size="sm" variant="ghost" onClick={onClose}>
            {copy.broken.close}
          </Button>
        ) : null}
      </div>
    )}
  >
    {children}
  </ErrorBoundary>
);
