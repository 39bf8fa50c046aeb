import { type CaseItem } from '@thaw/contract/moderation';

export interface QueueRow {
  item: CaseItem;
  /** Whether the case has left the queue since the list was frozen. */
  hasLeftQueue: boolean;
}

export interface QueueList {
  rows: readonly QueueRow[];
  /** Number of cases in the queue that the frozen list does not contain; 0 if the list is not frozen. */
  newCount: number;
}

/**
 * Computes the rows to show after the queue was reloaded. In a frozen list every row keeps its place: cases that have
 * left the queue stay in the list and are marked as gone, and new cases are only counted. An empty list is always
 * filled.
 * @param isFrozen whether the pointer or the focus is in the list, so that no row may move
 */
export const mergeQueue = (
  currentRows: readonly QueueRow[],
  newestItems: readonly CaseItem[],
  { isFrozen }: { isFrozen: boolean },
): QueueList => {
  if (!isFrozen || currentRows.length === 0)
    return { rows: newestItems.map((item) => ({ item, hasLeftQueue: false })), newCount: 0 };
  const newestById = new Map(newestItems.map((item) => [item.id, item]));
  const rows = currentRows.map(({ item }) => {
    const newest = newestById.get(item.id);
    return { item: newest ?? item, hasLeftQueue: newest === undefined };
  });
  const currentIds = new Set(currentRows.map(({ item }) => item.id));
  return { rows, newCount: newestItems.filter(({ id }) => !currentIds.has(id)).length };
};

/** Whether the case of a row waits for a decision, and no other moderator has claimed it. */
const isAvailable = ({ item, hasLeftQueue }: QueueRow, myId: number): boolean =>
  !hasLeftQueue && item.state !== 'decided' && (item.claimedBy === null || item.claimedBy === myId);

/**
 * The case to open after `caseId`: the next one below that waits for a decision and that no other moderator has
 * claimed. After the end of the list the search continues at the top; it also starts there if `caseId` is not listed.
 */
export const findNextCase = (
  rows: readonly QueueRow[],
  caseId: number,
  myId: number,
): CaseItem | undefined => {
  const index = rows.findIndex(({ item }) => item.id === caseId);
  // If the case is not listed, `index` is -1, and all rows are below it.
  const rowsBelow = rows.slice(index + 1);
  const rowsAbove = rows.slice(0, Math.max(0, index));
  return [...rowsBelow, ...rowsAbove].find((row) => isAvailable(row, myId))?.item;
};

/**
 * The case one row below (`step` 1) or above (-1) a case. At an end of the list this is the same case; if the case is
 * not in the list, it is the first one.
 */
export const stepFrom = (
  rows: readonly QueueRow[],
  caseId: number | undefined,
  step: 1 | -1,
): CaseItem | undefined => {
  const index = rows.findIndex(({ item }) => item.id === caseId);
  if (index === -1) return rows[0]?.item;
  return rows[Math.min(rows.length - 1, Math.max(0, index + step))]?.item;
};
