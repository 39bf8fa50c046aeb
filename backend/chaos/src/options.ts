import { parseArgs } from 'node:util';

export interface Options {
  seed: number;
  /** How long faults are caused, in milliseconds. */
  durationMs: number;
  /** Number of faults to cause, instead of a duration. */
  faults: number | undefined;
  /** Even, so that every user finds a partner. */
  userCount: number;
  /** Average time between two actions of a user, in milliseconds. */
  actEveryMs: number;
  /** Causes only faults whose label contains one of these texts. */
  only: string[] | undefined;
  /** File for the report as JSON. */
  report: string | undefined;
  /** Ends with a fault that lasts until the users reach the Reconnect button. */
  isLong: boolean;
}

const USAGE =
  'Usage: npm run chaos -- [--seed N] [--seconds 60] [--long] [--faults N] [--users N] [--every ms] [--only text,…] [--report file]';

const LONG_RUN = { faults: 104, userCount: 60, actEveryMs: 220 };
const SHORT_RUN = { userCount: 12, actEveryMs: 350, durationMs: 60_000 };

/** @throws Error with the usage */
export const readOptions = (args: readonly string[]): Options => {
  const stringOption = { type: 'string' } as const;
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        seed: stringOption,
        seconds: stringOption,
        faults: stringOption,
        users: stringOption,
        every: stringOption,
        only: stringOption,
        report: stringOption,
        long: { type: 'boolean' },
      },
    }));
  } catch {
    throw new Error(USAGE);
  }
  const parseCount = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(USAGE);
    return value;
  };
  const isLong = values.long ?? false;
  const preset = isLong ? LONG_RUN : SHORT_RUN;
  const seconds = parseCount(values.seconds);
  const userCount = parseCount(values.users) ?? preset.userCount;
  return {
    seed: parseCount(values.seed) ?? Math.floor(Math.random() * 0x1_0000_0000),
    durationMs: seconds === undefined ? SHORT_RUN.durationMs : seconds * 1_000,
    faults: parseCount(values.faults) ?? (isLong && seconds === undefined ? LONG_RUN.faults : undefined),
    userCount: userCount + (userCount % 2),
    actEveryMs: parseCount(values.every) ?? preset.actEveryMs,
    only: values.only?.split(','),
    report: values.report,
    isLong,
  };
};
