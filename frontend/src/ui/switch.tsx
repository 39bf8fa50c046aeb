import { useId } from 'react';

export interface SwitchProps {
  label: string;
  hint: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** A switch whose change applies immediately. The entire row is clickable. */
export const Switch = ({ label, hint, isOn, onChange }: SwitchProps) => {
  const id = useId();
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-hint`}
      className="group flex min-h-11 w-full items-center justify-between gap-6 rounded-control text-left"
      onClick={() => onChange(!isOn)}
    >
      <span className="grid gap-1">
        <span id={`${id}-label`} className="text-base font-semibold">
          {label}
        </span>
        <span id={`${id}-hint`} className="text-sm text-muted-foreground">
          {hint}
        </span>
      </span>
      <span
        aria-hidden="true"
        className="flex h-7 w-12 shrink-0 items-center rounded-full border border-input bg-background px-1 transition-colors group-aria-checked:border-primary group-aria-checked:bg-primary"
      >
        <span className="size-4.5 rounded-full bg-input transition-[translate,background-color] duration-150 ease-out group-aria-checked:translate-x-5 group-aria-checked:bg-primary-foreground" />
      </span>
    </button>
  );
};
