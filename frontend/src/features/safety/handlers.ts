import { type BlockedUser } from '@thaw/contract/safety';
import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import { blocksKey } from '@/features/safety/api/blocks';
import { refetchIfInFlight } from '@/lib/query-client';
import { currentUser } from '@/product/identity';

/** The frames that this feature handles. */
export const safetyEvents = ['block_changed'] as const satisfies readonly ServerEvent[];

/** Keeps the list of blocked people up to date. */
export const createSafetyHandler =
  (queries: QueryClient) =>
  (frame: ServerFrame): void => {
    const me = currentUser();
    if (!me || frame.event !== 'block_changed') return;
    const { userId, isBlocked } = frame.data;
    const queryKey = blocksKey(me.id);
    if (!isBlocked) {
      queries.setQueryData<BlockedUser[]>(queryKey, (people) =>
        people?.filter(({ blockedId }) => blockedId !== userId),
      );
    }
    void refetchIfInFlight(queries, queryKey);
    // The frame carries no name, so the list is fetched again if it is shown, or when it is shown next.
    void queries.invalidateQueries({ queryKey });
  };
