import { parseArgs } from 'node:util';

export interface Options {
  /** Determines the faults and the random actions of the users. */
  seed: number;
  /** Time during which faults are caused, in milliseconds. */
  durationMs: number;
  /** Number of faults to cause. If it is set, `durationMs` is ignored. */
  faultCount: number | undefined;
  /** Even, so that every user finds a partner. */
  userCount: number;
  /** Average time between two actions of a user, in milliseconds. */
  actEveryMs: number;
  /** Causes only faults whose label (such as `kill api-2`) contains one of these texts. */
  labelFilters: string[] | undefined;
  /** File for the report as JSON; undefined: no file is written. */
  reportFile: string | undefined;
  /** The run ends with a fault that lasts until the pages of the users give up and show the Reconnect button. */
  endsWithLongFault: boolean;
}

const USAGE =
  'Usage: npm run chaos -- [--seed N] [--seconds 60] [--long] [--faults N] [--users N] [--every ms] [--only text,…] [--report file]';

/** Takes about a quarter of an hour, and causes at least one fault of each class (see `listFaultClasses`). */
const LONG_RUN = { faultCount: 104, userCount: 60, actEveryMs: 220 };
const SHORT_RUN = { userCount: 12, actEveryMs: 350, durationMs: 60_000 };

/** A seed has 32 bits. */
const SEED_COUNT = 0x1_0000_0000;

/** @throws Error with the usage, for an unknown option or a number that is not a count */
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
    seed: parseCount(values.seed) ?? Math.floor(Math.random() * SEED_COUNT),
    durationMs: seconds === undefined ? SHORT_RUN.durationMs : seconds * 1_000,
    // `--faults` takes precedence over `--seconds`, and `--seconds` over the number of faults of a long run.
    faultCount:
      parseCount(values.faults) ?? (isLong && seconds === undefined ? LONG_RUN.faultCount : undefined),
    userCount: userCount + (userCount % 2),
    actEveryMs: parseCount(values.every) ?? preset.actEveryMs,
    labelFilters: values.only?.split(','),
    reportFile: values.report,
    endsWithLongFault: isLong,
  };
};
