/** Reads a duration such as `90s`, `5m` or `2h`. @returns milliseconds. @throws Error for any other text. */
export const parseDuration = (text: string): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  if (!match) throw new Error(`"${text}" is not a duration: write 30s, 5m or 2h`);
  const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[match[2] as 'ms' | 's' | 'm' | 'h'];
  return Number(match[1]) * unitMs;
};

/** Reads a positive integer from the environment. @throws Error for any other text. */
export const readCount = (name: string, fallback: number): number => {
  const text = __ENV[name];
  const count = text ? Number(text) : fallback;
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${name}=${text} is not a whole number of at least 1`);
  return count;
};

/** Reads a duration from the environment. @returns milliseconds */
export const readDuration = (name: string, fallback: string): number =>
  parseDuration(__ENV[name] || fallback);

/** Address of the page, without a slash at the end. */
export const baseUrl = (__ENV.BASE_URL || 'http://localhost:8080').replace(/\/+$/, '');
export const socketUrl = `${baseUrl.replace(/^http/, 'ws')}/ws`;

/** Whether replicas are stopped or killed during the run, so that some commands are refused with `unavailable`. */
export const isDisrupted = __ENV.DISRUPTED === 'on';
