import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import { noticesKey, putNotice } from '@/features/standing/api/notices-cache';
import { refetchIfInFlight } from '@/lib/query-client';
import { currentUser, mergeIntoUser } from '@/product/identity';

/** The frames that this feature handles. */
export const standingEvents = ['standing', 'notice'] as const satisfies readonly ServerEvent[];

/**
 * Keeps the user's standing (whether they may use the product, or are suspended, banned or restricted) and their
 * notices up to date.
 */
export const createStandingHandler =
  (queryClient: QueryClient) =>
  (frame: ServerFrame): void => {
    const me = currentUser();
    if (!me) return;
    if (frame.event === 'standing') mergeIntoUser({ standing: frame.data });
    if (frame.event === 'notice') {
      putNotice(queryClient, me.id, frame.data);
      // A response in flight may lack the notice.
      void refetchIfInFlight(queryClient, noticesKey(me.id));
    }
  };
