const HOUR_MS = 60 * 60_000;

/** How long an image that no message or profile shows can still be used. */
export const UNUSED_KEPT_MS = 24 * HOUR_MS;
/** When an unused image is removed. The margin exceeds the time between a message's image check and its append. */
export const UNUSED_REMOVED_AFTER_MS = 25 * HOUR_MS;
/** When an upload that did not finish is removed: far longer than the timeout of a storage request. */
export const UNFINISHED_REMOVED_AFTER_MS = HOUR_MS;
