import { useId, type ReactNode } from 'react';

export interface CheckboxProps {
  label: ReactNode;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  isDisabled?: boolean;
}

/** A checkbox with a label that fills the rest of the row and is clickable. */
export const Checkbox = ({ label, isChecked, onChange, isDisabled = false }: CheckboxProps) => {
  const id = useId();
  return (
    <div className="flex min-h-11 items-center gap-3">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        className="size-5 shrink-0 accent-primary"
        onChange={({ target }) => onChange(target.checked)}
      />
      <label htmlFor={id} className="flex-1 py-2 text-base wrap-anywhere">
        {label}
      </label>
    </div>
  );
};
