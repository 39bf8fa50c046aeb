import { useId, type ComponentProps } from 'react';
import { cn } from '@/lib/class-names';

export type FieldProps = ComponentProps<'input'> & {
  label: string;
  error?: string | undefined;
  hint?: string;
};

/** A labelled input with a hint below, which an error replaces. */
export const Field = ({ label, error, hint, className, id: customId, ...input }: FieldProps) => {
  const generatedId = useId();
  const id = customId ?? generatedId;
  const errorId = `${id}-error`;
  const hintId = `${id}-hint`;
  const hintIdIfShown = hint ? hintId : undefined;
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : hintIdIfShown}
        className={cn(
          'h-12 w-full rounded-control border border-input bg-background px-4 text-md text-foreground',
          'transition-colors placeholder:text-muted-foreground hover:border-foreground',
          'focus-visible:outline-2 focus-visible:outline-offset-0 aria-invalid:border-destructive',
          className,
        )}
        {...input}
      />
      {error ? (
        <p id={errorId} role="alert" className="enter-rise text-sm text-destructive">
          {error}
        </p>
      ) : hint ? (
        <p id={hintId} className="text-sm text-muted-foreground">
          {hint}
        </p>
      ) : null}
    </div>
  );
};
