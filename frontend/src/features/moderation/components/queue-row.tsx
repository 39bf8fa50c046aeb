import { type CaseItem, type ModerationCase, type UrgencyParts } from '@thaw/contract/moderation';
import { reportCategorySchema } from '@thaw/contract/standing';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { caseKey } from '@/features/moderation/api/queries';
import { Chip, IsolatedName } from '@/features/moderation/components/parts';
import { Urgency } from '@/features/moderation/components/urgency';
import { copy } from '@/features/moderation/copy';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';
import { getTimeLeftMs } from '@/features/moderation/queue/aim';
import { type QueueRow as QueueRowData } from '@/features/moderation/queue/queue-rows';
import { estimateParts } from '@/features/moderation/queue/urgency-parts';
import { getUserName } from '@/features/moderation/queue/user-name';
import { formatSpan } from '@/features/moderation/spans';
import { cn } from '@/lib/class-names';

/**
 * The categories of the reports of a case, the gravest first, each with its number of reports if there is more than
 * one: "Sexual 2 · Hate". Empty for a case without reports.
 */
export const describeCategories = ({ categories }: Pick<CaseItem, 'categories'>): string =>
  reportCategorySchema.options
    .flatMap((category) => {
      const count = categories[category] ?? 0;
      if (count === 0) return [];
      const name = copy.categories[category];
      return [count === 1 ? name : `${name} ${count}`];
    })
    .join(' · ');

/** The exact parts, if the moderator has opened the case and its urgency is still the same; otherwise an estimate. */
const useUrgencyParts = (item: CaseItem, now: number): UrgencyParts => {
  const cachedCase = useQueryClient().getQueryData<ModerationCase>(caseKey(item.id));
  return cachedCase?.urgency === item.urgency ? cachedCase.urgencyParts : estimateParts(item, now);
};

/** Labels what is special about a case. A user in `care` is matched only with other users in `care`. */
const CaseChips = ({ item: { kind, state, standing, isAutomatic } }: { item: CaseItem }) => (
  <>
    {kind === 'reports' ? null : <Chip>{copy.kinds[kind]}</Chip>}
    {state === 'escalated' ? <Chip tone="warning">{copy.states.escalated}</Chip> : null}
    {standing === 'good' ? null : (
      <Chip tone={standing === 'care' ? 'warning' : 'neutral'}>{copy.standings[standing]}</Chip>
    )}
    {isAutomatic ? <Chip>{copy.queue.automatic}</Chip> : null}
  </>
);

/** How long a case has been open, and the time left until it is overdue. */
const Age = ({ item, now }: { item: CaseItem; now: number }) => {
  const age = copy.queue.openFor(formatSpan(now - Date.parse(item.openedAt)));
  if (item.state === 'decided') return age;
  const left = getTimeLeftMs(item, now);
  return (
    <>
      {age} ·{' '}
      <span className={cn(left < 0 && 'font-semibold text-destructive')}>
        {left < 0 ? copy.queue.overdueBy(formatSpan(-left)) : copy.queue.timeLeft(formatSpan(left))}
      </span>
    </>
  );
};

const ClaimedBy = ({ moderatorId }: { moderatorId: number }) => (
  <p className="text-sm font-semibold">{copy.queue.claimedBy(useModeratorName(moderatorId))}</p>
);

export interface QueueRowProps {
  row: QueueRowData;
  myId: number;
  /** In ms since the epoch. */
  now: number;
  /** Whether the row is the cursor: the highlighted row, which the keys J and K move. */
  isCursor: boolean;
  /** Only one row of the list can be reached with Tab. */
  isTabStop: boolean;
  isOpen: boolean;
  onOpen: () => void;
  onFocus: () => void;
}

/** One case of the queue. */
export const QueueRow = ({ row, myId, now, isCursor, isTabStop, isOpen, onOpen, onFocus }: QueueRowProps) => {
  const { item, hasLeftQueue } = row;
  const [isUrgencyOpen, setUrgencyOpen] = useState(false);
  const isClaimedByOther = item.claimedBy !== null && item.claimedBy !== myId;
  const urgencyParts = useUrgencyParts(item, now);
  const tabIndex = isTabStop ? 0 : -1;
  const details = [
    describeCategories(item),
    copy.queue.reporters(item.reporters),
    item.priors > 0 ? copy.queue.priors(item.priors) : '', // earlier sanctions of the user
  ].filter((detail) => detail !== '');
  return (
    <li
      className="moderation-row"
      data-case={item.id}
      data-cursor={isCursor}
      data-open={isOpen}
      data-dimmed={isClaimedByOther || hasLeftQueue}
      data-gone={hasLeftQueue}
    >
      <Urgency
        urgency={item.urgency}
        parts={urgencyParts}
        isOpen={isUrgencyOpen}
        onOpenChange={setUrgencyOpen}
        tabIndex={tabIndex}
      />
      <button
        type="button"
        data-open-case={item.id}
        tabIndex={tabIndex}
        aria-current={isOpen ? 'true' : undefined}
        className="grid min-h-11 gap-0.5 rounded-inner text-left after:absolute after:inset-0"
        onClick={onOpen}
        onFocus={onFocus}
      >
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-base font-semibold">
            <IsolatedName>{getUserName(item)}</IsolatedName>
          </span>
          <CaseChips item={item} />
        </span>
        <span className="text-sm">{details.join(' · ')}</span>
        <span className="text-sm text-muted-foreground tabular-nums">
          {hasLeftQueue ? copy.queue.noLongerWaits : <Age item={item} now={now} />}
          {item.isAnonymous ? ` · ${copy.queue.anonymous}` : null}
        </span>
      </button>
      {item.claimedBy !== null && !hasLeftQueue ? (
        <div className="col-start-2">
          <ClaimedBy moderatorId={item.claimedBy} />
        </div>
      ) : null}
    </li>
  );
};
