import { useEffect, useRef, type ReactNode } from 'react';
import { copy } from '@/features/moderation/copy';
import { useWorkbench } from '@/features/moderation/stores/workbench.store';
import { Button } from '@/ui/button';

export interface FormFrameProps {
  caseId: number;
  title: string;
  /** Null while no outcome is chosen; the submit button is then disabled, and shows `title`. */
  submitLabel: string | null;
  isDestructive?: boolean;
  /** Also called for Ctrl+Enter while the submit button is disabled. Sends nothing while the input is incomplete. */
  onSubmit: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/**
 * The frame of every decision form: the title with a Cancel button, the message of a failed attempt, the fields, and
 * the submit button. Ctrl+Enter submits as well. The focus starts at the `Choices` with `hasInitialFocus`,
 * which sets `data-initial-focus`.
 */
export const FormFrame = ({
  caseId,
  title,
  submitLabel,
  isDestructive = false,
  onSubmit,
  onCancel,
  children,
}: FormFrameProps) => {
  const form = useRef<HTMLFormElement>(null);
  const failure = useWorkbench(({ failures }) => failures.find((failed) => failed.caseId === caseId)?.text);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[data-initial-focus="true"]')?.focus();
  }, []);
  return (
    <form
      ref={form}
      aria-labelledby="decision-title"
      noValidate
      className="grid content-start gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="flex min-h-9 items-center justify-between gap-3">
        <h3 id="decision-title" className="text-lg font-bold">
          {title}
        </h3>
        <Button variant="ghost" size="sm" onClick={onCancel}>
          {copy.decide.cancel}
        </Button>
      </div>
      {failure ? (
        <div
          role="alert"
          className="rounded-control px-3 py-2 text-destructive inset-ring inset-ring-destructive"
        >
          <p className="text-base font-semibold">{failure}</p>
          <p className="text-sm text-foreground">{copy.done.kept}</p>
        </div>
      ) : null}
      {children}
      <div className="moderation-send flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant={isDestructive ? 'destructive' : 'default'}
          disabled={submitLabel === null}
        >
          {submitLabel ?? title}
        </Button>
        <span className="text-sm text-muted-foreground max-md:hidden">{copy.decide.sendHint}</span>
      </div>
    </form>
  );
};
