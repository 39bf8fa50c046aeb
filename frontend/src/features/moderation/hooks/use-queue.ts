import { type CaseFilter, type CaseItem } from '@thaw/contract/moderation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Filter } from '@/features/moderation/address';
import { queueQuery } from '@/features/moderation/api/queries';
import { mergeQueue, type QueueList, type QueueRow } from '@/features/moderation/queue/queue-rows';
import { useWorkbench } from '@/features/moderation/stores/workbench.store';

/** The server has no filter `mine`: the claimed cases are selected here from the open ones. */
const toCaseFilter = (filter: Filter): CaseFilter => (filter === 'mine' ? 'open' : filter);

/** Pages may overlap when the urgency of a case changes between their requests. Keeps the newer copy of a case. */
const removeDuplicates = (items: readonly CaseItem[]): CaseItem[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];

/** What the rows are computed from. */
interface RowsInput {
  /** Undefined until the queue is loaded. */
  newestItems: readonly CaseItem[] | undefined;
  filter: Filter;
  isFrozen: boolean;
}

const isSameInput = (one: RowsInput, other: RowsInput): boolean =>
  one.newestItems === other.newestItems && one.filter === other.filter && one.isFrozen === other.isFrozen;

const noRows: readonly QueueRow[] = [];

const computeList = (
  currentRows: readonly QueueRow[],
  { newestItems = [], isFrozen }: RowsInput,
): QueueList => mergeQueue(currentRows, newestItems, { isFrozen });

/** Returns the rows of the newest items. While `isFrozen`, the rows of the same filter keep their places. */
const useRows = (input: RowsInput): QueueList => {
  const [shown, setShown] = useState(() => ({ input, list: computeList(noRows, input) }));
  if (isSameInput(shown.input, input)) return shown.list;
  const currentRows = shown.input.filter === input.filter ? shown.list.rows : noRows;
  const list = computeList(currentRows, input);
  // Set while rendering, not in an effect, so that the browser never paints the outdated list.
  setShown({ input, list });
  return list;
};

/**
 * The cases of a filter. `queueQuery` reloads them every 15 s.
 * @param isFrozen whether every row keeps its place, because the pointer or the focus is in the list
 */
export const useQueue = (myId: number, filter: Filter, isFrozen: boolean) => {
  const query = useInfiniteQuery(queueQuery(toCaseFilter(filter)));
  const sendingCaseIds = useWorkbench((state) => state.sendingCaseIds);
  const { data } = query;
  const newestItems = useMemo(() => {
    const loadedItems = data && removeDuplicates(data.pages.flatMap(({ cases }) => cases));
    if (filter !== 'open' && filter !== 'mine') return loadedItems;
    // A case leaves the open cases as soon as its decision is sent.
    const openItems = loadedItems?.filter(({ id }) => !sendingCaseIds.includes(id));
    return filter === 'mine' ? openItems?.filter(({ claimedBy }) => claimedBy === myId) : openItems;
  }, [data, filter, myId, sendingCaseIds]);
  return { ...query, list: useRows({ newestItems, filter, isFrozen }) };
};
