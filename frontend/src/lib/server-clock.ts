/** The `Date` header is truncated to the second, so on average it is half a second behind. */
const meanTruncationMs = 500;
/** A smaller difference counts as none, because the `Date` header is precise to one second only. */
const toleranceMs = 2_000;

/** Time of the server's clock minus local time. */
let offsetMs = 0;

/**
 * Estimates the offset of the server's clock from the `Date` header of a response.
 * @param dateHeader a missing or invalid header changes nothing
 * @param sentAtMs local time at which the request was sent, in ms since the epoch
 * @param receivedAtMs local time at which the response arrived, in ms since the epoch
 */
export const noteServerDate = (
  dateHeader: string | null | undefined,
  sentAtMs: number,
  receivedAtMs: number,
): void => {
  const serverMs = Date.parse(dateHeader ?? '');
  if (Number.isNaN(serverMs)) return;
  const differenceMs = serverMs + meanTruncationMs - (sentAtMs + receivedAtMs) / 2;
  // The time at which the server wrote the header is known only to within half of the round trip.
  const precisionMs = toleranceMs + (receivedAtMs - sentAtMs) / 2;
  offsetMs = Math.abs(differenceMs) <= precisionMs ? 0 : differenceMs;
};

/** Current time by the server's clock, in ms since the epoch; use it to compare with times sent by the server. */
export const getServerNow = (): number => Date.now() + offsetMs;
