import { type CaseItem } from '@thaw/contract/moderation';

export interface QueueRow {
  item: CaseItem;
  /** The case has left the queue since the list was shown. */
  isGone: boolean;
}

export interface QueueList {
  rows: readonly QueueRow[];
  /** Number of cases that are not shown yet. */
  newCount: number;
}

/**
 * The rows to show after a refresh. While the list is held, because the pointer or the focus is in it, every row keeps
 * its place: cases that are gone stay, marked, and new ones are only counted.
 */
export const mergeQueue = (
  shown: readonly QueueRow[],
  fresh: readonly CaseItem[],
  isHeld: boolean,
): QueueList => {
  if (!isHeld || shown.length === 0)
    return { rows: fresh.map((item) => ({ item, isGone: false })), newCount: 0 };
  const freshById = new Map(fresh.map((item) => [item.id, item]));
  const rows = shown.map(({ item }) => {
    const now = freshById.get(item.id);
    return { item: now ?? item, isGone: now === undefined };
  });
  const shownIds = new Set(shown.map(({ item }) => item.id));
  return { rows, newCount: fresh.filter(({ id }) => !shownIds.has(id)).length };
};

/** Whether a moderator could decide the case of this row next. */
const isFree = ({ item, isGone }: QueueRow, me: number): boolean =>
  !isGone && item.state !== 'decided' && (item.claimedBy === null || item.claimedBy === me);

/** The case to look at after this one: the next that no other moderator has claimed, else the first. */
export const findNextCase = (rows: readonly QueueRow[], caseId: number, me: number): CaseItem | undefined => {
  const index = rows.findIndex(({ item }) => item.id === caseId);
  const inOrder = [...rows.slice(index + 1), ...rows.slice(0, Math.max(0, index))];
  return inOrder.find((row) => row.item.id !== caseId && isFree(row, me))?.item;
};

/** The row `step` places away from a case; the first row, if the case is not in the list. */
export const stepFrom = (
  rows: readonly QueueRow[],
  caseId: number | undefined,
  step: 1 | -1,
): CaseItem | undefined => {
  const index = rows.findIndex(({ item }) => item.id === caseId);
  if (index === -1) return rows[0]?.item;
  return rows[Math.min(rows.length - 1, Math.max(0, index + step))]?.item;
};
