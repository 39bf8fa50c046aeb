const HOUR_MS = 60 * 60_000;

/** How long an image that no message or profile shows can still be sent or become an avatar. */
export const UNUSED_IMAGE_USABLE_FOR_MS = 24 * HOUR_MS;
/**
 * Age at which an unused image is removed. The hour of margin is longer than the time between the check of a message's
 * images and the append of the message.
 */
export const UNUSED_REMOVED_AFTER_MS = 25 * HOUR_MS;
/** Age at which an unfinished upload is removed. Far longer than the timeout of a storage request. */
export const UNFINISHED_REMOVED_AFTER_MS = HOUR_MS;
