import { useCallback, useEffect, useRef } from 'react';
import { filters, type Filter } from '@/features/moderation/address';
import { Choices } from '@/features/moderation/components/form-fields';
import { QueueRow } from '@/features/moderation/components/queue-row';
import { copy } from '@/features/moderation/copy';
import { useNow } from '@/features/moderation/hooks/use-now';
import { type useQueue } from '@/features/moderation/hooks/use-queue';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';

export interface QueuePanelProps {
  myId: number;
  queue: ReturnType<typeof useQueue>;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  openCaseId: number | undefined;
  onOpen: (caseId: number) => void;
  /**
   * Called when the pointer or the focus enters the list, and when both have left it. In between, the list is frozen:
   * no row moves, appears or disappears.
   */
  onInsideChange: (isInside: boolean) => void;
  /** Called when the moderator asks for the new cases that a frozen list does not contain. */
  onShowNew: () => void;
}

const emptyTexts: Record<Filter, string> = {
  open: copy.queue.empty,
  mine: copy.queue.emptyMine,
  decided: copy.queue.emptyDecided,
  held: copy.queue.emptyHeld, // the filter for users whose data is under a legal hold
};

/** Calls `onInsideChange` when the pointer or the focus enters or leaves the element that gets the returned props. */
const useInsideProps = (onInsideChange: (isInside: boolean) => void) => {
  const element = useRef<HTMLDivElement>(null);
  const inside = useRef({ pointer: false, focus: false });
  const setInside = useCallback(
    (part: 'pointer' | 'focus', isInside: boolean): void => {
      inside.current[part] = isInside;
      onInsideChange(inside.current.pointer || inside.current.focus);
    },
    [onInsideChange],
  );
  useEffect(() => {
    // On a small screen an open case hides the list under the pointer. Browsers send no pointerleave then.
    const onPointerOver = ({ target }: PointerEvent): void => {
      if (inside.current.pointer && target instanceof Node && !element.current?.contains(target))
        setInside('pointer', false);
    };
    document.addEventListener('pointerover', onPointerOver);
    return () => document.removeEventListener('pointerover', onPointerOver);
  }, [setInside]);
  return {
    ref: element,
    // A touch does not count: after it, no pointer stays in the list.
    onPointerEnter: ({ pointerType }: { pointerType: string }) =>
      setInside('pointer', pointerType !== 'touch'),
    onPointerLeave: () => setInside('pointer', false),
    onFocus: () => setInside('focus', true),
    onBlur: ({ currentTarget, relatedTarget }: React.FocusEvent) =>
      setInside('focus', currentTarget.contains(relatedTarget)),
  };
};

/** The rows of the queue, or a text if there are none. */
const CaseList = ({ myId, queue, filter, openCaseId, onOpen }: QueuePanelProps) => {
  const now = useNow();
  const cursorId = useWorkbench((state) => state.cursorId);
  const { rows } = queue.list;
  // The cursor is the row that the keys J and K move to. Tab reaches it, or the first row if the cursor is not listed.
  const tabStopId = rows.some(({ item }) => item.id === cursorId) ? cursorId : rows[0]?.item.id;
  if (rows.length === 0)
    return (
      <div role="status">
        <EmptyState text={emptyTexts[filter]} height={48}>
          <path className="stroke-input" d="M18 40h60M26 40V16a4 4 0 0 1 4-4h36a4 4 0 0 1 4 4v24" />
          <path className="stroke-primary" d="m38 27 7 7 13-14" />
        </EmptyState>
      </div>
    );
  return (
    <ul aria-label={copy.queue.list} className="grid gap-1">
      {rows.map((row) => (
        <QueueRow
          key={row.item.id}
          row={row}
          myId={myId}
          now={now}
          isCursor={row.item.id === cursorId}
          isTabStop={row.item.id === tabStopId}
          isOpen={row.item.id === openCaseId}
          onOpen={() => onOpen(row.item.id)}
          onFocus={() => workbench.moveCursorTo(row.item.id)}
        />
      ))}
    </ul>
  );
};

/** Beside the heading: a button for the new cases that a frozen list does not contain, or else the number of cases. */
const QueueStatus = ({ queue, filter, onShowNew }: QueuePanelProps) => {
  const { rows, newCount } = queue.list;
  if (newCount > 0)
    return (
      <Button size="sm" variant="secondary" onClick={onShowNew}>
        {copy.queue.showNew(newCount)}
      </Button>
    );
  if (!queue.data) return null;
  // 'n cases wait' for the filter `open`, 'n cases' for the others.
  const count = filter === 'open' ? copy.queue.count(rows.length) : copy.queue.countCases(rows.length);
  return <p className="text-sm text-muted-foreground">{count}</p>;
};

/** The list of cases, or what is shown until it has loaded. */
const QueueContent = (props: QueuePanelProps) => {
  const { queue, onInsideChange } = props;
  const insideProps = useInsideProps(onInsideChange);
  // An unmounted list reports no pointerleave and no blur.
  useEffect(() => () => onInsideChange(false), [onInsideChange]);
  if (queue.data)
    return (
      <div {...insideProps}>
        <CaseList {...props} />
      </div>
    );
  if (queue.isError)
    return <LoadError text={copy.queue.failed} onRetry={() => void queue.refetch()} className="p-3" />;
  return <ListSkeleton label={copy.loading} className="p-3" />;
};

/** The list of cases with its filter, in the order of the server: by urgency, or newest first if they are decided. */
export const QueuePanel = (props: QueuePanelProps) => {
  const { queue, filter, onFilter } = props;
  return (
    <section aria-labelledby="queue-title" className="grid content-start gap-3 p-3">
      <div className="flex min-h-9 items-center justify-between gap-3 px-1">
        <h2 id="queue-title" tabIndex={-1} className="text-lg font-bold outline-none">
          {copy.queue.title}
        </h2>
        {/* In the line of the heading, so that no row moves when its button appears. */}
        <QueueStatus {...props} />
      </div>
      <Choices
        legend={copy.queue.filter}
        isLegendHidden
        value={filter}
        options={filters.map((value) => ({ value, label: copy.queue.filters[value] }))}
        onChoose={onFilter}
      />
      <QueueContent {...props} />
      {/* Outside `QueueContent`: the list must not be frozen when the button adds rows. */}
      {queue.hasNextPage ? (
        <Button
          variant="secondary"
          className="m-auto mt-3"
          disabled={queue.isFetchingNextPage}
          onClick={() => void queue.fetchNextPage()}
        >
          {copy.queue.more}
        </Button>
      ) : null}
      {queue.data && queue.isError ? (
        <p role="status" className="px-1 text-sm text-warning">
          {copy.queue.stale}
        </p>
      ) : null}
      <p className="px-1 text-sm text-muted-foreground">{copy.queue.responseAims}</p>
    </section>
  );
};
