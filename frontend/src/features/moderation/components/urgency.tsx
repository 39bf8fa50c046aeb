import { type UrgencyParts } from '@thaw/contract/moderation';
import { copy } from '@/features/moderation/copy';
import { cn } from '@/lib/class-names';
import { Popover } from '@/ui/popover';

/** The server caps the urgency at this value. */
const maxUrgency = 1000;

// The style sheet gives each level a colour.
const minHighUrgency = 450;
const minMiddleUrgency = 300;

const getLevel = (urgency: number): string => {
  if (urgency >= minHighUrgency) return 'high';
  return urgency >= minMiddleUrgency ? 'middle' : 'low';
};

/** The parts that are added to the base, in the order in which they are shown. */
const additions = ['reporters', 'priors', 'automatic', 'waiting'] as const;

const Line = ({ label, value, isTotal = false }: { label: string; value: string; isTotal?: boolean }) => (
  <div className={cn('flex justify-between gap-6', isTotal && 'mt-1 border-t border-border pt-2')}>
    <dt className="text-muted-foreground">{label}</dt>
    <dd className="font-semibold tabular-nums">{value}</dd>
  </div>
);

export interface UrgencyProps {
  urgency: number;
  parts: UrgencyParts;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  tabIndex?: number;
}

/** A button with the urgency of a case. Pressing it shows the parts that make up the urgency. */
export const Urgency = ({ urgency, parts, isOpen, onOpenChange, tabIndex }: UrgencyProps) => {
  const texts = copy.urgency;
  return (
    <Popover
      button={{
        className: 'moderation-urgency px-2 text-sm',
        'aria-label': texts.label(urgency),
        // Spread, because the type of `button` has no data attributes.
        ...{ 'data-level': getLevel(urgency) },
        ...(tabIndex === undefined ? {} : { tabIndex }),
        children: urgency,
      }}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      label={texts.title}
      align="start"
      className="p-4"
    >
      <dl className="grid gap-1.5 text-sm">
        <Line label={texts.base} value={String(parts.base)} />
        {additions.map((part) =>
          parts[part] === 0 ? null : <Line key={part} label={texts[part]} value={`+${parts[part]}`} />,
        )}
        {parts.isHalved ? <Line label={texts.halved} value="÷ 2" /> : null}
        {urgency >= maxUrgency ? <Line label={texts.capped} value={String(maxUrgency)} /> : null}
        <Line label={texts.total} value={String(urgency)} isTotal />
      </dl>
    </Popover>
  );
};
