/** The `Date` header is truncated to the second, so on average it is half a second behind. */
const meanTruncationMs = 500;
/** The `Date` header has whole seconds, and the response takes time: a smaller difference is noise. */
const toleranceMs = 2_000;

let offsetMs = 0;

/** Estimates the offset of the clocks from the `Date` header of a response. Times are local, in ms since the epoch. */
export const noteServerDate = (date: string | null | undefined, sentAt: number, answeredAt: number): void => {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return;
  const differenceMs = serverMs + meanTruncationMs - (sentAt + answeredAt) / 2;
  offsetMs = Math.abs(differenceMs) <= toleranceMs + (answeredAt - sentAt) / 2 ? 0 : differenceMs;
};

/** Current time by the server's clock, in ms since the epoch; use it to compare with times sent by the server. */
export const getServerNow = (): number => Date.now() + offsetMs;
