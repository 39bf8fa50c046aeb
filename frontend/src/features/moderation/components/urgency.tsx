import { type UrgencyParts } from '@thaw/contract/moderation';
import { copy } from '@/features/moderation/copy';
import { cn } from '@/lib/class-names';
import { Popover } from '@/ui/popover';

const maxUrgency = 1000;

const getLevel = (urgency: number): string => (urgency >= 450 ? 'high' : urgency >= 300 ? 'middle' : 'low');

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

/** The urgency of a case; pressing it shows how it is made up. */
export const Urgency = ({ urgency, parts, isOpen, onOpenChange, tabIndex }: UrgencyProps) => {
  const { base, isHalved, ...added } = parts;
  const names = copy.urgency;
  return (
    <Popover
      button={{
        className: 'moderation-urgency px-2 text-sm',
        'aria-label': names.label(urgency),
        ...{ 'data-level': getLevel(urgency) },
        ...(tabIndex === undefined ? {} : { tabIndex }),
        children: urgency,
      }}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      label={names.title}
      align="start"
      className="p-4"
    >
      <dl className="grid gap-1.5 text-sm">
        <Line label={names.base} value={String(base)} />
        {(['reporters', 'priors', 'automatic', 'waiting'] as const).map((part) =>
          added[part] === 0 ? null : <Line key={part} label={names[part]} value={`+${added[part]}`} />,
        )}
        {isHalved ? <Line label={names.halved} value="÷ 2" /> : null}
        {urgency >= maxUrgency ? <Line label={names.capped} value={String(maxUrgency)} /> : null}
        <Line label={names.total} value={String(urgency)} isTotal />
      </dl>
    </Popover>
  );
};
