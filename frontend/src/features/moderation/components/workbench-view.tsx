import { type ModerationCase } from '@thaw/contract/moderation';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { type Address, type Filter, type Go } from '@/features/moderation/address';
import { caseKey } from '@/features/moderation/api/queries';
import { FailureBanners } from '@/features/moderation/components/failure-banners';
import { OpenCase } from '@/features/moderation/components/open-case';
import { QueuePanel } from '@/features/moderation/components/queue-panel';
import { copy } from '@/features/moderation/copy';
import { useClaim } from '@/features/moderation/hooks/use-claim';
import { usePrefetchedNext } from '@/features/moderation/hooks/use-prefetched-next';
import { useQueue } from '@/features/moderation/hooks/use-queue';
import { useShortcuts, type Shortcut } from '@/features/moderation/hooks/use-shortcuts';
import { useSubmission } from '@/features/moderation/hooks/use-submission';
import { findNextCase, stepFrom } from '@/features/moderation/queue/queue-rows';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';
import { isForbidden } from '@/features/moderation/failure';

const findRowButton = (caseId: number | undefined): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-open-case="${caseId}"]`);

export interface WorkbenchViewProps {
  me: number;
  address: Address;
  go: Go;
  onHelp: () => void;
  onForbidden: () => void;
}

/** Queue, case and decision side by side. */
export const WorkbenchView = ({ me, address, go, onHelp, onForbidden }: WorkbenchViewProps) => {
  const { filter, caseId } = address;
  const queries = useQueryClient();
  const [isHeld, setHeld] = useState(false);
  const [wantsNew, setWantsNew] = useState(false);
  const queue = useQueue(me, filter, isHeld && !wantsNew);
  const { rows } = queue.list;
  const isFormOpen = useWorkbench((state) => state.isFormOpen);
  const cursorId = useWorkbench((state) => state.cursorId);
  const { claim, claimForForm, release } = useClaim();
  const submit = useSubmission(me, rows, go);
  usePrefetchedNext(isFormOpen && caseId !== undefined ? findNextCase(rows, caseId, me) : undefined);
  const item = rows.find((row) => row.item.id === caseId)?.item;

  useEffect(() => {
    if (isForbidden(queue.error)) onForbidden();
  }, [queue.error, onForbidden]);

  const hold = useCallback((held: boolean): void => {
    setHeld(held);
    if (!held) setWantsNew(false);
  }, []);

  const readCase = (id: number): ModerationCase | undefined => queries.getQueryData(caseKey(id));

  const openCase = (id: number): void => {
    const known = readCase(id);
    const newest = rows.find((row) => row.item.id === id)?.item.version ?? 0;
    // What was loaded earlier is not worth showing first: the moderator would begin to read an old state.
    if (known && known.version < newest) queries.removeQueries({ queryKey: caseKey(id) });
    workbench.moveCursor(id);
    if (id !== caseId) workbench.closeForm();
    go({ view: 'queue', caseId: id });
  };
  const closeForm = (): void => {
    workbench.closeForm();
    if (caseId === undefined) return;
    const { claimedByForm, drafts } = useWorkbench.getState();
    if (claimedByForm.includes(caseId) && !drafts[caseId]) void release(caseId);
    document.querySelector<HTMLElement>('main h2[tabindex="-1"]')?.focus();
  };
  const closeCase = (): void => {
    const closed = caseId;
    closeForm();
    go({ caseId: undefined });
    requestAnimationFrame(() => findRowButton(closed)?.focus());
  };
  const openForm = (id: number): void => {
    const known = readCase(id);
    if (known?.excludes.includes(me) || known?.state === 'decided') return;
    openCase(id);
    workbench.openForm();
    const claimedBy = known?.claimedBy ?? rows.find((row) => row.item.id === id)?.item.claimedBy ?? null;
    if (claimedBy === null) void claimForForm(id);
  };
  const toggleClaim = (id: number): void => {
    const claimedBy = (readCase(id) ?? rows.find((row) => row.item.id === id)?.item)?.claimedBy ?? null;
    if (claimedBy === me) void release(id);
    else if (claimedBy === null) void claim(id);
  };
  /** In the list the cursor moves; in a case the next one opens. */
  const step = (by: 1 | -1): void => {
    const isInList = document.activeElement?.closest('[data-case]') != null;
    const from = caseId !== undefined && !isInList ? caseId : cursorId;
    const target = stepFrom(rows, from, by);
    if (!target) return;
    if (caseId !== undefined && !isInList) {
      if (target.id !== caseId) openCase(target.id);
      return;
    }
    workbench.moveCursor(target.id);
    findRowButton(target.id)?.focus();
  };
  /** The case that a shortcut is about: the row with the focus, else the open case. */
  const getShownCaseId = (): number | undefined => {
    const row = document.activeElement?.closest<HTMLElement>('[data-case]')?.dataset.case;
    return row === undefined ? (caseId ?? cursorId) : Number(row);
  };

  const run = (shortcut: Shortcut): boolean => {
    const id = getShownCaseId();
    switch (shortcut) {
      case 'next':
      case 'previous':
        step(shortcut === 'next' ? 1 : -1);
        return rows.length > 0;
      case 'help':
        onHelp();
        return true;
      case 'leave':
        if (caseId === undefined) return false;
        if (isFormOpen) closeForm();
        else closeCase();
        return true;
      case 'open':
        if (id !== undefined) openCase(id);
        return id !== undefined;
      case 'claim':
        if (id !== undefined) toggleClaim(id);
        return id !== undefined;
      case 'decide':
        if (id !== undefined) openForm(id);
        return id !== undefined;
      case 'urgency':
        document
          .querySelector<HTMLElement>(
            caseId === id ? 'header .moderation-urgency' : `[data-case="${id}"] .moderation-urgency`,
          )
          ?.click();
        return id !== undefined;
    }
  };
  useShortcuts(run);

  const changeFilter = (chosen: Filter): void => {
    hold(false);
    workbench.closeForm();
    go({ filter: chosen, caseId: undefined });
  };

  return (
    <>
      <FailureBanners
        openCaseId={caseId}
        onOpen={(id) => {
          openCase(id);
          workbench.openForm();
        }}
      />
      <main
        className="moderation-columns"
        data-open={caseId !== undefined}
        data-deciding={isFormOpen && caseId !== undefined}
      >
        <div className="moderation-column moderation-queue">
          <QueuePanel
            me={me}
            queue={queue}
            filter={filter}
            onFilter={changeFilter}
            openCaseId={caseId}
            onOpen={openCase}
            onHold={hold}
            onShowNew={() => setWantsNew(true)}
          />
        </div>
        {caseId === undefined ? (
          <div className="moderation-none">
            <p className="text-md text-muted-foreground">{copy.case.none}</p>
            <p className="mt-1 text-sm text-muted-foreground">{copy.case.noneHint}</p>
          </div>
        ) : (
          <OpenCase
            caseId={caseId}
            me={me}
            item={item}
            onOpenCase={openCase}
            onClose={closeCase}
            onStep={(by) => {
              const target = stepFrom(rows, caseId, by);
              if (target && target.id !== caseId) openCase(target.id);
            }}
            onClaim={() => void claim(caseId)}
            onRelease={() => void release(caseId)}
            onOpenForm={() => openForm(caseId)}
            onCloseForm={closeForm}
            onSubmit={(submission) => void submit(submission)}
          />
        )}
      </main>
    </>
  );
};
