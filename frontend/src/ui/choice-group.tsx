import { useId, type ReactNode } from 'react';
import { cn } from '@/lib/class-names';

export interface Choice<T extends string> {
  value: T;
  label: string;
  /** Shown instead of the label, which is then only told to assistive technology. */
  icon?: ReactNode;
}

export interface ChoiceGroupProps<T extends string> {
  legend: string;
  /** Shown above the choices, or only told to assistive technology. */
  isLegendHidden?: boolean;
  value: T | undefined;
  choices: readonly Choice<T>[];
  onChoose: (value: T) => void;
  /** `segments`: a few words side by side. `cards`: large, each with a ring to tick. */
  look?: 'segments' | 'cards';
}

const groupClass = {
  segments: 'grid auto-cols-fr grid-flow-col gap-1 rounded-control border border-border bg-background p-1',
  cards: 'grid auto-cols-fr grid-flow-col gap-3',
};

const choiceClass = {
  segments: cn(
    'relative inline-flex h-11 items-center justify-center rounded-[9px] px-3 text-base font-semibold',
    'text-muted-foreground transition-colors hover:text-foreground',
    'has-checked:bg-raised has-checked:text-foreground has-checked:inset-ring has-checked:inset-ring-input',
  ),
  cards: cn(
    'group relative flex h-18 items-center justify-between rounded-card border border-input px-5 text-lg font-semibold',
    'transition-colors hover:bg-raised has-checked:border-primary has-checked:bg-raised',
  ),
};

/** One of a few, with the browser's own radio buttons beneath. */
export const ChoiceGroup = <T extends string>({
  legend,
  isLegendHidden = false,
  value,
  choices,
  onChoose,
  look = 'segments',
}: ChoiceGroupProps<T>) => {
  const id = useId();
  return (
    <div className="grid gap-2">
      <span id={id} className={isLegendHidden ? 'sr-only' : 'text-sm text-muted-foreground'}>
        {legend}
      </span>
      <div role="radiogroup" aria-labelledby={id} className={groupClass[look]}>
        {choices.map((choice) => (
          <label
            key={choice.value}
            className={cn(
              choiceClass[look],
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary',
            )}
          >
            <input
              type="radio"
              name={id}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChoose(choice.value)}
              className="absolute inset-0 size-full cursor-pointer appearance-none outline-none"
            />
            {choice.icon}
            <span className={choice.icon ? 'sr-only' : undefined}>{choice.label}</span>
            {look === 'cards' ? (
              <span
                aria-hidden="true"
                className="grid size-5 place-items-center rounded-full border-2 border-input group-has-checked:border-primary"
              >
                <span className="size-2.5 rounded-full bg-primary opacity-0 group-has-checked:opacity-100" />
              </span>
            ) : null}
          </label>
        ))}
      </div>
    </div>
  );
};
