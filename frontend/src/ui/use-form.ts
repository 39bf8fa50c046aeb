import { useState, type ChangeEvent } from 'react';

/**
 * State of a form of text fields (docs/decisions/0041). The form itself validates, and decides when to show errors.
 * @param initial  the values that count as saved: input that differs from them is unsaved, also after `reset(next)`
 */
export const useForm = <Values extends Readonly<Record<string, string>>>(initial: Values) => {
  const [values, setValues] = useState(initial);
  return {
    values,
    /** Whether closing the form would lose input. */
    isUnsaved: Object.entries(values).some(([name, value]) => value !== initial[name]),
    /** Props of one field: its name, value and change handler. */
    field: (name: keyof Values & string) => ({
      name,
      value: values[name],
      onChange: ({ target }: ChangeEvent<HTMLInputElement>): void => {
        setValues((current) => ({ ...current, [name]: target.value }));
      },
    }),
    reset: (next: Values = initial): void => setValues(next),
  };
};
