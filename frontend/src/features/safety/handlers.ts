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
  (queryClient: QueryClient) =>
  (frame: ServerFrame): void => {
    const me = currentUser();
    if (!me || frame.event !== 'block_changed') return;
    const { userId, isBlocked } = frame.data;
    const queryKey = blocksKey(me.id);
    if (!isBlocked) {
      queryClient.setQueryData<BlockedUser[]>(queryKey, (people) =>
        people?.filter(({ blockedId }) => blockedId !== userId),
      );
    }
    // The response of a first load in flight may be older than the change, and `invalidateQueries` alone would join
    // that load instead of starting another one.
    void refetchIfInFlight(queryClient, queryKey);
    // The frame carries no name, so the list is fetched again: now if it is shown, otherwise when it is shown next.
    void queryClient.invalidateQueries({ queryKey });
  };
