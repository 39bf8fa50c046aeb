import { type CaseFilter, type CaseItem } from '@thaw/contract/moderation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Filter } from '@/features/moderation/address';
import { queueQuery } from '@/features/moderation/api/queries';
import { mergeQueue, type QueueList, type QueueRow } from '@/features/moderation/queue/queue-rows';
import { useWorkbench } from '@/features/moderation/stores/workbench.store';

const toCaseState = (filter: Filter): CaseFilter => (filter === 'mine' ? 'open' : filter);

/** Pages overlap when the urgency of a case has changed in between. */
const withoutDuplicates = (items: readonly CaseItem[]): CaseItem[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];

const noRows: readonly QueueRow[] = [];

/** Keeps the order of the rows while the list is held. */
const useHeldList = (fresh: readonly CaseItem[] | undefined, list: string, isHeld: boolean): QueueList => {
  const [state, setState] = useState({ fresh, list, isHeld, shown: mergeQueue(noRows, fresh ?? [], false) });
  if (state.fresh === fresh && state.list === list && state.isHeld === isHeld) return state.shown;
  const before = state.list === list ? state.shown.rows : noRows;
  const shown = mergeQueue(before, fresh ?? [], isHeld && state.list === list);
  setState({ fresh, list, isHeld, shown });
  return shown;
};

/** The cases of a filter, refreshed every 15 s. `isHeld` keeps every row in its place. */
export const useQueue = (me: number, filter: Filter, isHeld: boolean) => {
  const query = useInfiniteQuery(queueQuery(toCaseState(filter)));
  const sending = useWorkbench((state) => state.sending);
  const { data } = query;
  const fresh = useMemo(() => {
    const items = data && withoutDuplicates(data.pages.flatMap(({ cases }) => cases));
    if (filter === 'mine') return items?.filter(({ claimedBy }) => claimedBy === me);
    return filter === 'open' ? items?.filter(({ id }) => !sending.includes(id)) : items;
  }, [data, filter, me, sending]);
  return { ...query, list: useHeldList(fresh, filter, isHeld) };
};
