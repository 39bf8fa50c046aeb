const HOUR_MS = 60 * 60_000;

/** An image that no message and no profile shows can still be used for so long. */
export const UNUSED_KEPT_MS = 24 * HOUR_MS;
/** After that it is removed; in between lies more than any message needs from the check of its images to the log. */
export const UNUSED_REMOVED_AFTER_MS = 25 * HOUR_MS;
/** Far longer than a storage is given to answer. */
export const UNFINISHED_REMOVED_AFTER_MS = HOUR_MS;
