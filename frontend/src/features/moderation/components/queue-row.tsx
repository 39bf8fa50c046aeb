import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
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

/** The categories of the reports of a case, the gravest first: "Sexual 2 · Hate". */
export const describeCategories = ({ categories }: Pick<CaseItem, 'categories'>): string =>
  reportCategorySchema.options
    .filter((category) => (categories[category] ?? 0) > 0)
    .map((category) => {
      const count = categories[category] ?? 0;
      return count > 1 ? `${copy.categories[category]} ${count}` : copy.categories[category];
    })
    .join(' · ');

/** How long a case has been open, and the time left until it is overdue. */
const Age = ({ item, now }: { item: CaseItem; now: number }) => {
  const age = copy.queue.open(formatSpan(now - Date.parse(item.openedAt)));
  if (item.state === 'decided') return age;
  const left = getTimeLeftMs(item, now);
  return (
    <>
      {age} ·{' '}
      <span className={cn(left < 0 && 'font-semibold text-destructive')}>
        {left < 0 ? copy.queue.late(formatSpan(-left)) : copy.queue.due(formatSpan(left))}
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
  /** Whether the row is highlighted; J and K move the highlight. */
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
  const queries = useQueryClient();
  const [isUrgencyOpen, setUrgencyOpen] = useState(false);
  const isClaimedByOther = item.claimedBy !== null && item.claimedBy !== myId;
  // Contains the exact parts of the urgency, if the moderator has opened the case before. They are outdated if the
  // urgency has changed since.
  const cachedCase = queries.getQueryData<ModerationCase>(caseKey(item.id));
  const tabIndex = isTabStop ? 0 : -1;
  const details = [
    // Empty for a case without reports.
    describeCategories(item),
    copy.queue.reporters(item.reporters),
    // Earlier sanctions of the user.
    ...(item.priors > 0 ? [copy.queue.priors(item.priors)] : []),
  ].filter(Boolean);
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
        parts={cachedCase?.urgency === item.urgency ? cachedCase.urgencyParts : estimateParts(item, now)}
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
          {item.kind === 'reports' ? null : <Chip>{copy.kinds[item.kind]}</Chip>}
          {item.state === 'escalated' ? <Chip tone="warning">{copy.states.escalated}</Chip> : null}
          {/* `care`: the user is matched only with others of this standing. */}
          {item.standing === 'good' ? null : (
            <Chip tone={item.standing === 'care' ? 'warning' : 'neutral'}>
              {copy.standings[item.standing]}
            </Chip>
          )}
          {item.isAutomatic ? <Chip>{copy.queue.automatic}</Chip> : null}
        </span>
        <span className="text-sm">{details.join(' · ')}</span>
        <span className="text-sm text-muted-foreground tabular-nums">
          {hasLeftQueue ? copy.queue.gone : <Age item={item} now={now} />}
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
