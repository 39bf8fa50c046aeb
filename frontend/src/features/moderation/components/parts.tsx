import { useId, type ReactNode } from 'react';
import { cn } from '@/lib/class-names';

/** A short label of a case or a person. */
export const Chip = ({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'warning' | 'destructive';
  children: ReactNode;
}) => (
  <span
    className={cn(
      'rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap inset-ring',
      tone === 'neutral' && 'text-muted-foreground inset-ring-input',
      tone === 'warning' && 'text-warning inset-ring-current',
      tone === 'destructive' && 'text-destructive inset-ring-destructive',
    )}
  >
    {children}
  </span>
);

/** A titled part of the case. */
export const Section = ({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-3">
      <div className="flex min-h-9 items-center justify-between gap-3">
        <h3 id={id} className="text-md font-bold">
          {title}
        </h3>
        {action}
      </div>
      {children}
    </section>
  );
};

/** A user name, or a text with one. `bdi` keeps a right-to-left name from reordering the text around it. */
export const IsolatedName = ({ children }: { children: string }) => (
  <bdi className="wrap-anywhere">{children}</bdi>
);

/** A muted sentence: a hint, or the text of an empty list. */
export const MutedText = ({ children }: { children: ReactNode }) => (
  <p className="text-base text-muted-foreground">{children}</p>
);
