import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { describeCategories } from '@/features/moderation/components/queue-row';
import { Evidence } from '@/features/moderation/components/evidence';
import { Chip, Name } from '@/features/moderation/components/parts';
import { Urgency } from '@/features/moderation/components/urgency';
import { copy } from '@/features/moderation/copy';
import { useModeratorName } from '@/features/moderation/hooks/use-name';
import { getUserName } from '@/features/moderation/queue/user-name';
import { formatTimeOfDay } from '@/features/moderation/spans';
import { Button } from '@/ui/button';

const texts = copy.case;

const Claim = ({ item, me }: { item: CaseItem; me: number }) => {
  const name = useModeratorName(item.claimedBy);
  if (item.claimedBy === null || item.claimedUntil === null) return null;
  const time = formatTimeOfDay(item.claimedUntil);
  return (
    <p className="text-sm text-muted-foreground">
      {item.claimedBy === me ? texts.claimedByYou(time) : texts.claimedBy(name, time)}
    </p>
  );
};

/** Counts the reports that came in while the case was open on this page. */
const useNewReports = ({ reports }: ModerationCase): number => {
  const [atFirst] = useState(() => new Set(reports.map(({ id }) => id)));
  return reports.filter(({ id }) => !atFirst.has(id)).length;
};

const Notice = ({ children, action }: { children: string; action?: { label: string; run: () => void } }) => (
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
  onStep: (step: 1 | -1) => void;
  onClaim: () => void;
  onRelease: () => void;
  onDecide: () => void;
  onEscalate: () => void;
  onRefresh: () => void;
}

export interface CasePaneProps extends CaseActions {
  shown: ModerationCase;
  me: number;
  /** The queue has a newer state of this case. */
  isStale: boolean;
  isFormOpen: boolean;
}

const Toolbar = ({ shown, me, isFormOpen, ...actions }: Omit<CasePaneProps, 'isStale'>) => {
  const isMine = shown.claimedBy === me;
  const isExcluded = shown.excludes.includes(me);
  const isDecided = shown.state === 'decided';
  return (
    <div role="group" aria-label={texts.actions} className="flex flex-wrap gap-2">
      {isDecided ? null : (
        <>
          <Button
            variant="secondary"
            size="sm"
            aria-keyshortcuts="c"
            disabled={!isMine && shown.claimedBy !== null}
            onClick={isMine ? actions.onRelease : actions.onClaim}
          >
            {isMine ? texts.release : texts.claim}
          </Button>
          {shown.state === 'escalated' ? null : (
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
            onClick={actions.onDecide}
          >
            {texts.decide}
          </Button>
        </>
      )}
    </div>
  );
};

/** The head and the evidence of the open case. */
export const CasePane = ({ isStale, ...props }: CasePaneProps) => {
  const { shown, me, onClose, onStep, onRefresh } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const [isUrgencyOpen, setUrgencyOpen] = useState(false);
  const newReports = useNewReports(shown);
  // Mounted again for every case.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 p-4">
      <header className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {/* The texts of the outer buttons, not their edges, line up with what is below. */}
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
          <h2 ref={heading} tabIndex={-1} className="min-w-0 text-xl font-bold outline-none">
            <Name>{texts.title(shown.id, getUserName(shown))}</Name>
          </h2>
          <Urgency
            urgency={shown.urgency}
            parts={shown.urgencyParts}
            isOpen={isUrgencyOpen}
            onOpenChange={setUrgencyOpen}
          />
          {shown.kind === 'reports' ? null : <Chip>{copy.kinds[shown.kind]}</Chip>}
          {shown.state === 'open' ? null : (
            <Chip tone={shown.state === 'escalated' ? 'warning' : 'neutral'}>{copy.states[shown.state]}</Chip>
          )}
          {shown.isAutomatic ? <Chip>{copy.queue.automatic}</Chip> : null}
        </div>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="grid gap-0.5">
            <p className="text-base">{describeCategories(shown)}</p>
            <Claim item={shown} me={me} />
          </div>
          <Toolbar {...props} />
        </div>
        {isStale ? (
          <Notice action={{ label: texts.showChanges, run: onRefresh }}>{texts.changed}</Notice>
        ) : newReports > 0 ? (
          <Notice>{texts.newReports(newReports)}</Notice>
        ) : null}
        {shown.excludes.includes(me) && shown.state !== 'decided' ? <Notice>{texts.excluded}</Notice> : null}
      </header>
      <Evidence shown={shown} />
    </div>
  );
};
