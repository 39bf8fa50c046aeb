import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { type QueryClient } from '@tanstack/react-query';
import { noticesKey, putNotice } from '@/features/standing/api/notices-cache';
import { refetchIfInFlight } from '@/lib/query-client';
import { currentUser, mergeIntoUser } from '@/product/identity';

/** The frames that this feature handles. */
export const standingEvents = ['standing', 'notice'] as const satisfies readonly ServerEvent[];

/** Keeps the user's own standing and notices up to date. */
export const createStandingHandler =
  (queries: QueryClient) =>
  (frame: ServerFrame): void => {
    const me = currentUser();
    if (!me) return;
    if (frame.event === 'standing') mergeIntoUser({ standing: frame.data });
    if (frame.event === 'notice') {
      putNotice(queries, me.id, frame.data);
      void refetchIfInFlight(queries, noticesKey(me.id));
    }
  };
