import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { type Address, type ChangeAddress, type Filter } from '@/features/moderation/address';
import { caseKey } from '@/features/moderation/api/queries';
import { FailureBanners } from '@/features/moderation/components/failure-banners';
import { OpenCase } from '@/features/moderation/components/open-case';
import { QueuePanel } from '@/features/moderation/components/queue-panel';
import { copy } from '@/features/moderation/copy';
import { useClaim } from '@/features/moderation/hooks/use-claim';
import { usePrefetchNextCase } from '@/features/moderation/hooks/use-prefetch-next-case';
import { useQueue } from '@/features/moderation/hooks/use-queue';
import { useShortcuts, type Shortcut } from '@/features/moderation/hooks/use-shortcuts';
import { useSubmission } from '@/features/moderation/hooks/use-submission';
import { findNextCase, stepFrom } from '@/features/moderation/queue/queue-rows';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';
import { isAccessRefused } from '@/features/moderation/failure';

/** Finds the button that opens a case in the queue. Without an id, finds none. */
const findRowButton = (caseId: number | undefined): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-open-case="${caseId}"]`);

/** Finds the row of the queue that has the focus. */
const findFocusedRow = (): HTMLElement | null | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-case]');

/** Presses the button that shows how the urgency of a case is calculated. */
const pressUrgencyButton = (caseId: number, openCaseId: number | undefined): void => {
  // It is in the header of the open case, and in the row of every other case.
  const place = caseId === openCaseId ? 'header' : `[data-case="${caseId}"]`;
  document.querySelector<HTMLElement>(`${place} .moderation-urgency`)?.click();
};

export interface WorkbenchViewProps {
  myId: number;
  address: Address;
  changeAddress: ChangeAddress;
  onHelp: () => void;
  onForbidden: () => void;
}

/** The queue, the open case and its decision side by side, with the keyboard shortcuts. */
export const WorkbenchView = ({ myId, address, changeAddress, onHelp, onForbidden }: WorkbenchViewProps) => {
  const { filter, caseId } = address;
  const queries = useQueryClient();
  const [isInsideList, setInsideList] = useState(false);
  const [wantsNewCases, setWantsNewCases] = useState(false);
  // No row moves while the pointer or the focus is in the list, unless the moderator has asked for the new cases.
  const isFrozen = isInsideList && !wantsNewCases;
  const queue = useQueue(myId, filter, isFrozen);
  const { rows } = queue.list;
  const isFormOpen = useWorkbench((state) => state.isFormOpen);
  /** The cursor is the highlighted row of the queue, which the keys J and K move. */
  const cursorId = useWorkbench((state) => state.cursorId);
  // A claim keeps other moderators from deciding the case. Opening the decision form claims the case, too.
  const { claim, claimForForm, release } = useClaim();
  const submit = useSubmission(myId, rows, changeAddress);
  usePrefetchNextCase(isFormOpen && caseId !== undefined ? findNextCase(rows, caseId, myId) : undefined);
  /** Finds the entry of a case in the queue. */
  const findItem = (id: number | undefined): CaseItem | undefined =>
    rows.find((row) => row.item.id === id)?.item;

  useEffect(() => {
    if (isAccessRefused(queue.error)) onForbidden();
  }, [queue.error, onForbidden]);

  const handleInsideChange = useCallback((isInside: boolean): void => {
    setInsideList(isInside);
    if (!isInside) setWantsNewCases(false);
  }, []);

  const getCachedCase = (id: number): ModerationCase | undefined => queries.getQueryData(caseKey(id));

  const leaveForm = (): void => {
    workbench.closeForm();
    if (caseId === undefined) return;
    const { caseIdsClaimedByForm, drafts } = useWorkbench.getState();
    // Opening the form has claimed the case, and nothing was entered, so other moderators may decide the case.
    if (caseIdsClaimedByForm.includes(caseId) && !drafts[caseId]) void release(caseId);
  };
  const openCase = (id: number): void => {
    const cachedCase = getCachedCase(id);
    const newestVersion = findItem(id)?.version ?? 0;
    // Without this, the moderator would begin to read the old version while the new one is loaded.
    if (cachedCase && cachedCase.version < newestVersion) queries.removeQueries({ queryKey: caseKey(id) });
    workbench.moveCursorTo(id);
    if (id !== caseId) leaveForm();
    changeAddress({ view: 'queue', caseId: id });
  };
  const closeForm = (): void => {
    leaveForm();
    document.querySelector<HTMLElement>('[data-case-heading]')?.focus();
  };
  const closeCase = (): void => {
    closeForm();
    changeAddress({ caseId: undefined });
    // On a small screen the queue is hidden, and cannot get the focus, until the case is gone.
    requestAnimationFrame(() => findRowButton(caseId)?.focus());
  };
  const openForm = (id: number): void => {
    const cachedCase = getCachedCase(id);
    // `excludes` lists the moderators who may not decide the case.
    if (cachedCase?.excludes.includes(myId) || cachedCase?.state === 'decided') return;
    openCase(id);
    workbench.openForm();
    // If the cached case shows no claim, the row may show a newer one.
    const claimedBy = cachedCase?.claimedBy ?? findItem(id)?.claimedBy ?? null;
    if (claimedBy === null) void claimForForm(id);
  };
  const toggleClaim = (id: number): void => {
    const cachedCase = getCachedCase(id);
    const claimedBy = (cachedCase ?? findItem(id))?.claimedBy ?? null;
    if (claimedBy === myId) void release(id);
    else if (claimedBy === null && !cachedCase?.excludes.includes(myId)) void claim(id);
  };
  /** Opens the next (1) or the previous (-1) case of the queue. */
  const openNeighbour = (direction: 1 | -1): void => {
    const neighbour = stepFrom(rows, caseId, direction);
    if (neighbour && neighbour.id !== caseId) openCase(neighbour.id);
  };
  const moveCursor = (direction: 1 | -1): void => {
    const target = stepFrom(rows, cursorId, direction);
    if (!target) return;
    workbench.moveCursorTo(target.id);
    findRowButton(target.id)?.focus();
  };
  /** With the focus in the list, or without an open case, moves the cursor; otherwise opens another case. */
  const step = (direction: 1 | -1): void => {
    if (caseId !== undefined && !findFocusedRow()) openNeighbour(direction);
    else moveCursor(direction);
  };
  /** The case that a shortcut applies to: that of the row with the focus, else the open case, else the cursor. */
  const getTargetCaseId = (): number | undefined => {
    const focusedId = findFocusedRow()?.dataset.case;
    return focusedId === undefined ? (caseId ?? cursorId) : Number(focusedId);
  };

  const runCaseShortcut = (shortcut: 'open' | 'claim' | 'decide' | 'urgency', id: number): void => {
    switch (shortcut) {
      case 'open':
        return openCase(id);
      case 'claim':
        return toggleClaim(id);
      case 'decide':
        return openForm(id);
      case 'urgency':
        return pressUrgencyButton(id, caseId);
    }
  };

  /** Returns false if there is no case to apply the shortcut to. */
  const runShortcut = (shortcut: Shortcut): boolean => {
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
      case 'claim':
      case 'decide':
      case 'urgency': {
        const id = getTargetCaseId();
        if (id === undefined) return false;
        runCaseShortcut(shortcut, id);
        return true;
      }
    }
  };
  useShortcuts(runShortcut);

  const changeFilter = (chosen: Filter): void => {
    // The list of the new filter starts unfrozen.
    handleInsideChange(false);
    leaveForm();
    changeAddress({ filter: chosen, caseId: undefined });
  };

  return (
    <>
      <FailureBanners
        openCaseId={caseId}
        onOpen={(id) => {
          // Not `openForm`, which does not open a case that has been decided in the meantime.
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
            myId={myId}
            queue={queue}
            filter={filter}
            onFilter={changeFilter}
            openCaseId={caseId}
            onOpen={openCase}
            onInsideChange={handleInsideChange}
            onShowNew={() => setWantsNewCases(true)}
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
            myId={myId}
            item={findItem(caseId)}
            onOpenCase={openCase}
            onClose={closeCase}
            onStep={openNeighbour}
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
