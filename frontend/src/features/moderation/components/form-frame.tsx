import { useEffect, useRef, type ReactNode } from 'react';
import { copy } from '@/features/moderation/copy';
import { useWorkbench } from '@/features/moderation/stores/workbench.store';
import { Button } from '@/ui/button';

export interface FormFrameProps {
  caseId: number;
  title: string;
  /** Null while no outcome is chosen: the submit button is then disabled and shows `title`. */
  submitLabel: string | null;
  isDestructive?: boolean;
  /** Must not send incomplete input: Ctrl+Enter calls this function even while the submit button is disabled. */
  onSubmit: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/**
 * The frame of every decision form: the title with a Cancel button, the reason why sending the decision failed (if it
 * did), the fields, and the submit button.
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
  const failureText = useWorkbench(({ failures }) => failures.find((entry) => entry.caseId === caseId)?.text);
  useEffect(() => {
    // The attribute marks one radio button of the `Choices` with `hasInitialFocus` (form-fields.tsx).
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
        const isCtrlEnter = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        if (!isCtrlEnter) return;
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
      {failureText ? (
        <div
          role="alert"
          className="rounded-control px-3 py-2 text-destructive inset-ring inset-ring-destructive"
        >
          <p className="text-base font-semibold">{failureText}</p>
          <p className="text-sm text-foreground">{copy.failures.kept}</p>
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
