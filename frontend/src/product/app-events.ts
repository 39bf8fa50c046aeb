import { type ServerFrame } from '@thaw/contract/server-frames';

/**
 * Events within the page, dispatched on `window`. §7 of the product specification requires all of them, except
 * `block-changed` and `search-refused-by-standing`.
 */
export interface AppEvents {
  /** `id` is the id of the request. */
  'friend-request-received': { id: number; requesterId: number };
  /** `removedBy` is the user who ended the friendship, `removedFriendId` the other one. */
  'friendship-removed': { removedFriendId: number; removedBy: number };
  'friendship-accepted': { requestId: number; friendId: number };
  /** This page has blocked or unblocked a person; it is handled like the frame `block_changed`. */
  'block-changed': { userId: number; isBlocked: boolean };
  /** The server refused a search because of the user's standing, such as a suspension. */
  'search-refused-by-standing': undefined;
  /** The product specification names this event in camel case. */
  profileUpdated: { userId: number };
  /** Every frame that the socket client passes on to the features. */
  'websocket-message': ServerFrame;
}

/** Dispatches an event to the listeners of `onAppEvent`. */
export const raise = <E extends keyof AppEvents>(event: E, detail: AppEvents[E]): void => {
  window.dispatchEvent(new CustomEvent(event, { detail }));
};

/** Calls `handle` with the detail of every `event`; returns the unsubscribe function. */
export const onAppEvent = <E extends keyof AppEvents>(
  event: E,
  handle: (detail: AppEvents[E]) => void,
): (() => void) => {
  const listener = (raised: Event): void => handle((raised as CustomEvent<AppEvents[E]>).detail);
  window.addEventListener(event, listener);
  return () => window.removeEventListener(event, listener);
};
