/** The `Date` header is truncated to the second, so on average it is half a second behind. */
const meanTruncationMs = 500;
/** A smaller difference is noise: the `Date` header has a resolution of one second, and the response takes time. */
const toleranceMs = 2_000;

let offsetMs = 0;

/**
 * Estimates the offset of the server's clock from the `Date` header of a response.
 * @param sentAt local time of the request, in ms since the epoch; `answeredAt` that of the response
 */
export const noteServerDate = (date: string | null | undefined, sentAt: number, answeredAt: number): void => {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return;
  const differenceMs = serverMs + meanTruncationMs - (sentAt + answeredAt) / 2;
  offsetMs = Math.abs(differenceMs) <= toleranceMs + (answeredAt - sentAt) / 2 ? 0 : differenceMs;
};

/** Current time by the server's clock, in ms since the epoch; use it to compare with times sent by the server. */
export const getServerNow = (): number => Date.now() + offsetMs;
