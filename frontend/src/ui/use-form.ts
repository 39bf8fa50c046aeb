import { useState, type ChangeEvent } from 'react';

/**
 * The values of a form of text fields (docs/decisions/0041). Which of them are valid, and when that is said, is the
 * form's own concern.
 */
export const useForm = <Values extends Readonly<Record<string, string>>>(initial: Values) => {
  const [values, setValues] = useState(initial);
  return {
    values,
    /** Whether something was typed that closing the form would lose. */
    isUnsaved: Object.entries(values).some(([name, value]) => value !== initial[name]),
    /** What binds one field: its name, value and change handler. */
    field: (name: keyof Values & string) => ({
      name,
      value: values[name],
      onChange: ({ target }: ChangeEvent<HTMLInputElement>): void => {
        setValues((present) => ({ ...present, [name]: target.value }));
      },
    }),
    reset: (next: Values = initial): void => setValues(next),
  };
};
