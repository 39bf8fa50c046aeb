import { type ServerFrame } from '@thaw/contract/server-frames';

/** The in-page events of §7 of the specification, dispatched on `window`. */
export interface AppEvents {
  'friend-request-received': { id: number; requesterId: number };
  'friendship-removed': { removedFriendId: number; removedBy: number };
  'friendship-accepted': { requestId: number; friendId: number };
  /** This page has blocked or unblocked a person; it is handled like the frame `block_changed`. */
  'block-changed': { userId: number; isBlocked: boolean };
  /** The server refused a search because of the user's standing, such as a suspension. */
  'search-refused-by-standing': undefined;
  profileUpdated: { userId: number };
  'websocket-message': ServerFrame;
}

export const raise = <E extends keyof AppEvents>(event: E, detail: AppEvents[E]): void => {
  window.dispatchEvent(new CustomEvent(event, { detail }));
};

/** Calls `listen` for every `event`; returns the unsubscribe function. */
export const onAppEvent = <E extends keyof AppEvents>(
  event: E,
  listen: (detail: AppEvents[E]) => void,
): (() => void) => {
  const listener = (raised: Event): void => listen((raised as CustomEvent<AppEvents[E]>).detail);
  window.addEventListener(event, listener);
  return () => window.removeEventListener(event, listener);
};
