import * as RadioGroup from 'radix-ui/radio-group';
import { useId, type ReactNode } from 'react';
import { cn } from '@/lib/class-names';

export interface ChoiceGroupProps<T extends string> {
  legend: string;
  /** Shown above the choices, or only told to assistive technology. */
  isLegendHidden?: boolean;
  value: T | undefined;
  choices: readonly { value: T; label: string; icon?: ReactNode }[];
  onChoose: (value: T) => void;
  className?: string;
}

/** One of a few, side by side. */
export const ChoiceGroup = <T extends string>({
  legend,
  isLegendHidden = false,
  value,
  choices,
  onChoose,
  className,
}: ChoiceGroupProps<T>) => {
  const legendId = useId();
  return (
    <div className={cn('grid gap-2', className)}>
      <span id={legendId} className={isLegendHidden ? 'sr-only' : 'text-sm text-muted-foreground'}>
        {legend}
      </span>
      <RadioGroup.Root
        aria-labelledby={legendId}
        orientation="horizontal"
        value={value ?? ''}
        onValueChange={(chosen) => {
          const choice = choices.find((candidate) => candidate.value === chosen);
          if (choice) onChoose(choice.value);
        }}
        className="grid auto-cols-fr grid-flow-col gap-1 rounded-control border border-border bg-background p-1"
      >
        {choices.map((choice) => (
          <RadioGroup.Item
            key={choice.value}
            value={choice.value}
            aria-label={choice.icon ? choice.label : undefined}
            className={cn(
              'inline-flex h-11 items-center justify-center gap-2 px-3 text-base font-semibold text-muted-foreground',
              'rounded-[9px] transition-colors hover:text-foreground',
              'data-[state=checked]:bg-raised data-[state=checked]:text-foreground data-[state=checked]:inset-ring data-[state=checked]:inset-ring-input',
            )}
          >
            {choice.icon ?? choice.label}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  );
};
