import { useId, type ReactNode } from 'react';
import { cn } from '@/lib/class-names';
import { useRovingFocus } from '@/ui/roving-focus';

export interface Choice<T extends string> {
  value: T;
  label: string;
  icon?: ReactNode;
  /** Hides the label visually, but not from screen readers. */
  isLabelHidden?: boolean;
}

export interface ChoiceGroupProps<T extends string> {
  legend: string;
  /** Hides the legend visually, but not from screen readers. */
  isLegendHidden?: boolean;
  value: T | undefined;
  choices: readonly Choice<T>[];
  onChoose: (value: T) => void;
  /**
   * `segments`: short labels side by side. `cards`: large options, each with a radio ring. `rows`: sentences stacked
   * vertically, each with a radio ring.
   */
  look?: 'segments' | 'cards' | 'rows';
}

const groupClass = {
  segments: 'grid auto-cols-fr grid-flow-col gap-1 rounded-control border border-border bg-background p-1',
  cards: 'grid auto-cols-fr grid-flow-col gap-3',
  rows: '-mx-2 grid',
};

const choiceClass = {
  segments: cn(
    'inline-flex h-11 items-center justify-center gap-2 rounded-[9px] px-3 text-base font-semibold',
    'text-muted-foreground transition-colors hover:text-foreground',
    'aria-checked:bg-raised aria-checked:text-foreground aria-checked:inset-ring aria-checked:inset-ring-input',
  ),
  cards: cn(
    'group flex h-18 items-center justify-between rounded-card border border-input px-5 text-lg font-semibold',
    'transition-colors hover:bg-raised aria-checked:border-primary aria-checked:bg-raised',
  ),
  rows: cn(
    'group flex min-h-11 flex-row-reverse items-center justify-end gap-3 rounded-control px-2 py-2 text-left text-base',
    'transition-colors hover:bg-raised aria-checked:bg-raised aria-checked:font-semibold',
  ),
};

/** A radio group. Arrow keys change the choice, as with native radio buttons; the group is one tab stop. */
export const ChoiceGroup = <T extends string>({
  legend,
  isLegendHidden = false,
  value,
  choices,
  onChoose,
  look = 'segments',
}: ChoiceGroupProps<T>) => {
  const legendId = useId();
  const chosenIndex = choices.findIndex((choice) => choice.value === value);
  // The tab stop is the chosen option, as with native radio buttons, or the first one while none is chosen. It
  // overrides the tab stop of `useRovingFocus`, which follows the focus.
  const tabStopIndex = Math.max(chosenIndex, 0);

  const roving = useRovingFocus({
    initialIndex: tabStopIndex,
    onMove: (index) => {
      const choice = choices[index];
      if (choice) onChoose(choice.value);
    },
  });

  return (
    <div className="grid gap-2">
      <span id={legendId} className={isLegendHidden ? 'sr-only' : 'text-sm text-muted-foreground'}>
        {legend}
      </span>
      <div role="radiogroup" aria-labelledby={legendId} className={groupClass[look]} {...roving.group}>
        {choices.map((choice, index) => (
          <button
            key={choice.value}
            type="button"
            role="radio"
            aria-checked={index === chosenIndex}
            {...roving.getItemProps(index)}
            tabIndex={index === tabStopIndex ? 0 : -1}
            className={choiceClass[look]}
            onClick={() => onChoose(choice.value)}
          >
            {choice.icon}
            <span className={choice.isLabelHidden ? 'sr-only' : undefined}>{choice.label}</span>
            {look === 'segments' ? null : (
              <span
                aria-hidden="true"
                className="grid size-5 shrink-0 place-items-center rounded-full border-2 border-input group-aria-checked:border-primary"
              >
                <span className="size-2.5 rounded-full bg-primary opacity-0 group-aria-checked:opacity-100" />
              </span>
            )}
          </button>
        ))}
      </div>
    </div>
  );
};
