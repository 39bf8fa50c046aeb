/** The `Date` header counts whole seconds, and the answer took its time: a smaller difference means nothing. */
const toleranceMs = 2_000;

let offsetMs = 0;

/** Compares the clocks by the `Date` header of an answer to a request sent and answered at these local times. */
export const noteServerDate = (date: string | null | undefined, sentAt: number, answeredAt: number): void => {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return;
  // The header is cut to the second: on average it is half a second behind.
  const difference = serverMs + 500 - (sentAt + answeredAt) / 2;
  offsetMs = Math.abs(difference) <= toleranceMs + (answeredAt - sentAt) / 2 ? 0 : difference;
};

/** Now, by the server's clock: what comes from the server is compared with this. Milliseconds since the epoch. */
export const serverNow = (): number => Date.now() + offsetMs;
