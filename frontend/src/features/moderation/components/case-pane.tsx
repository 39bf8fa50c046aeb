import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { describeCategories } from '@/features/moderation/components/queue-row';
import { Evidence } from '@/features/moderation/components/evidence';
import { Chip, IsolatedName } from '@/features/moderation/components/parts';
import { Urgency } from '@/features/moderation/components/urgency';
import { copy } from '@/features/moderation/copy';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';
import { getUserName } from '@/features/moderation/queue/user-name';
import { formatTimeOfDay } from '@/features/moderation/spans';
import { Button } from '@/ui/button';

const texts = copy.case;

/** Shows who has claimed the case, and until when. Until then the server refuses decisions of other moderators. */
const ClaimLine = ({ item, myId }: { item: CaseItem; myId: number }) => {
  const claimerName = useModeratorName(item.claimedBy);
  if (item.claimedBy === null || item.claimedUntil === null) return null;
  const time = formatTimeOfDay(item.claimedUntil);
  return (
    <p className="text-sm text-muted-foreground">
      {item.claimedBy === myId ? texts.claimedByYou(time) : texts.claimedBy(claimerName, time)}
    </p>
  );
};

/** Counts the reports that have come in since the pane was mounted: each opened case has its own pane. */
const useNewReportCount = ({ reports }: ModerationCase): number => {
  const [initialReportIds] = useState(() => new Set(reports.map(({ id }) => id)));
  return reports.filter(({ id }) => !initialReportIds.has(id)).length;
};

const Banner = ({ children, action }: { children: string; action?: { label: string; run: () => void } }) => (
  <div
    role="status"
    className="flex flex-wrap items-center justify-between gap-2 rounded-control px-3 py-2 inset-ring inset-ring-current text-warning"
  >
    <p className="text-base">{children}</p>
    {action ? (
      <Button size="sm" variant="secondary" onClick={action.run}>
        {action.label}
      </Button>
    ) : null}
  </div>
);

export interface CaseActions {
  onClose: () => void;
  /** Opens the next (1) or the previous (-1) case of the queue. */
  onStep: (step: 1 | -1) => void;
  onClaim: () => void;
  /** Ends the claim. */
  onRelease: () => void;
  /** Opens or closes the decision form. */
  onToggleForm: () => void;
  /** Leaves the decision to another moderator. */
  onEscalate: () => void;
  onRefresh: () => void;
}

export interface CasePaneProps extends CaseActions {
  moderationCase: ModerationCase;
  myId: number;
  /** Whether the queue has a newer version of the case. */
  isStale: boolean;
  isFormOpen: boolean;
}

/** Whether the moderator may not decide the case, for example because they are involved in it. */
const isExcludedFrom = ({ excludes }: ModerationCase, moderatorId: number): boolean =>
  excludes.includes(moderatorId);

const Toolbar = ({ moderationCase, myId, isFormOpen, ...actions }: Omit<CasePaneProps, 'isStale'>) => {
  const isClaimedByMe = moderationCase.claimedBy === myId;
  const isExcluded = isExcludedFrom(moderationCase, myId);
  const mayClaim = moderationCase.claimedBy === null && !isExcluded;
  const isDecided = moderationCase.state === 'decided';
  return (
    <div role="group" aria-label={texts.actions} className="flex flex-wrap gap-2">
      {isDecided ? null : (
        <>
          <Button
            variant="secondary"
            size="sm"
            aria-keyshortcuts="c"
            disabled={!isClaimedByMe && !mayClaim}
            onClick={isClaimedByMe ? actions.onRelease : actions.onClaim}
          >
            {isClaimedByMe ? texts.release : texts.claim}
          </Button>
          {moderationCase.state === 'escalated' ? null : (
            <Button variant="secondary" size="sm" aria-haspopup="dialog" onClick={actions.onEscalate}>
              {texts.escalate}
            </Button>
          )}
          <Button
            size="sm"
            variant={isFormOpen ? 'secondary' : 'default'}
            aria-keyshortcuts="d"
            aria-expanded={isFormOpen}
            disabled={isExcluded}
            onClick={actions.onToggleForm}
          >
            {texts.decide}
          </Button>
        </>
      )}
    </div>
  );
};

const CaseChips = ({ kind, state, isAutomatic }: ModerationCase) => (
  <>
    {kind === 'reports' ? null : <Chip>{copy.kinds[kind]}</Chip>}
    {state === 'open' ? null : (
      <Chip tone={state === 'escalated' ? 'warning' : 'neutral'}>{copy.states[state]}</Chip>
    )}
    {isAutomatic ? <Chip>{copy.queue.automatic}</Chip> : null}
  </>
);

const Banners = ({
  moderationCase,
  myId,
  isStale,
  onRefresh,
}: Pick<CasePaneProps, 'moderationCase' | 'myId' | 'isStale' | 'onRefresh'>) => {
  const newReportCount = useNewReportCount(moderationCase);
  const isExcluded = isExcludedFrom(moderationCase, myId);
  return (
    <>
      {isStale ? (
        <Banner action={{ label: texts.showChanges, run: onRefresh }}>{texts.changed}</Banner>
      ) : newReportCount > 0 ? (
        <Banner>{texts.newReports(newReportCount)}</Banner>
      ) : null}
      {isExcluded && moderationCase.state !== 'decided' ? <Banner>{texts.excluded}</Banner> : null}
    </>
  );
};

/** The header of the open case, with the actions on it, and its evidence. */
export const CasePane = ({ isStale, ...props }: CasePaneProps) => {
  const { moderationCase, myId, onClose, onStep, onRefresh } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const [isUrgencyOpen, setUrgencyOpen] = useState(false);
  // Runs once per case: `OpenCase` mounts a new pane for each case.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 p-4">
      <header className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {/* Aligns the texts of the outer buttons, instead of their edges, with the content below. */}
        <div className="-mx-3 flex items-center">
          <Button variant="ghost" size="sm" onClick={onClose}>
            <ArrowLeft aria-hidden="true" />
            {texts.back}
          </Button>
          <span className="grow" />
          <Button variant="ghost" size="sm" aria-keyshortcuts="k" onClick={() => onStep(-1)}>
            {texts.previous}
          </Button>
          <Button variant="ghost" size="sm" aria-keyshortcuts="j" onClick={() => onStep(1)}>
            {texts.next}
          </Button>
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h2
            ref={heading}
            // The workbench finds the heading by this attribute, to focus it when the form is closed.
            data-case-heading
            tabIndex={-1}
            className="min-w-0 text-xl font-bold outline-none"
          >
            <IsolatedName>{texts.title(moderationCase.id, getUserName(moderationCase))}</IsolatedName>
          </h2>
          <Urgency
            urgency={moderationCase.urgency}
            parts={moderationCase.urgencyParts}
            isOpen={isUrgencyOpen}
            onOpenChange={setUrgencyOpen}
          />
          <CaseChips {...moderationCase} />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="grid gap-0.5">
            <p className="text-base">{describeCategories(moderationCase)}</p>
            <ClaimLine item={moderationCase} myId={myId} />
          </div>
          <Toolbar {...props} />
        </div>
        <Banners moderationCase={moderationCase} myId={myId} isStale={isStale} onRefresh={onRefresh} />
      </header>
      <Evidence moderationCase={moderationCase} />
    </div>
  );
};
