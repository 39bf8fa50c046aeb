import { useId, type ComponentProps, type ReactNode } from 'react';

const FieldError = ({ id, error }: { id: string; error: string | undefined }) =>
  error ? (
    <p id={id} role="alert" className="text-sm text-destructive">
      {error}
    </p>
  ) : null;

interface Option<T extends string> {
  value: T;
  label: string;
}

interface ChoicesProps<T extends string> {
  legend: string;
  value: T | null;
  options: readonly Option<T>[];
  onChoose: (value: T) => void;
  /** Whether `FormFrame` focuses this field when it is mounted: the chosen option, or else the first one. */
  hasInitialFocus?: boolean;
  /** Hides the legend visually; screen readers still read it. */
  isLegendHidden?: boolean;
  error?: string | undefined;
}

/** Native radio buttons side by side. Tab reaches the group, and the arrow keys move within it. */
export const Choices = <T extends string>({
  legend,
  value,
  options,
  onChoose,
  hasInitialFocus = false,
  isLegendHidden = false,
  error,
}: ChoicesProps<T>) => {
  const id = useId();
  const initialFocusValue = hasInitialFocus ? (value ?? options[0]?.value) : undefined;
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined} className="grid min-w-0 gap-1">
      <legend className={isLegendHidden ? 'sr-only' : 'mb-1 text-sm font-semibold'}>{legend}</legend>
      <div className="moderation-choices">
        {options.map((option) => (
          <label key={option.value} className="moderation-choice">
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              // Rendered as "true" or "false"; `FormFrame` looks for "true".
              data-initial-focus={option.value === initialFocusValue}
              onChange={() => onChoose(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
      <FieldError id={`${id}-error`} error={error} />
    </fieldset>
  );
};

interface LabelledProps {
  label: string;
  error?: string | undefined;
}

/** Joins the ids of the elements that describe a field, for `aria-describedby`. */
const joinIds = (...ids: (string | false | undefined)[]): string | undefined =>
  ids.filter(Boolean).join(' ') || undefined;

export const SelectField = ({
  label,
  error,
  children,
  ...selectProps
}: LabelledProps & ComponentProps<'select'>) => {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      <select
        id={id}
        className="moderation-field"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        {...selectProps}
      >
        {children}
      </select>
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
};

export const DateTimeField = ({ label, error, ...inputProps }: LabelledProps & ComponentProps<'input'>) => {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      <input
        id={id}
        type="datetime-local"
        className="moderation-field"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        {...inputProps}
      />
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
};

/**
 * A text field of several lines. `action` is beside the label. Below the field are the error, or `hint` if there is no
 * error, and `counter`.
 */
export const TextField = ({
  label,
  hint,
  error,
  counter,
  action,
  ...textareaProps
}: LabelledProps & { hint?: string; counter?: string; action?: ReactNode } & ComponentProps<'textarea'>) => {
  const id = useId();
  const shownHint = error ? undefined : hint;
  return (
    <div className="grid gap-1">
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-x-3">
        <label htmlFor={id} className="text-sm font-semibold">
          {label}
        </label>
        {action}
      </div>
      <textarea
        id={id}
        className="moderation-field"
        aria-invalid={error ? true : undefined}
        aria-describedby={joinIds(
          error && `${id}-error`,
          shownHint && `${id}-hint`,
          counter && `${id}-counter`,
        )}
        {...textareaProps}
      />
      <div className="flex justify-between gap-3 text-sm text-muted-foreground">
        <div>
          <FieldError id={`${id}-error`} error={error} />
          {shownHint ? <p id={`${id}-hint`}>{shownHint}</p> : null}
        </div>
        {counter ? (
          <p id={`${id}-counter`} className="shrink-0 tabular-nums">
            {counter}
          </p>
        ) : null}
      </div>
    </div>
  );
};
