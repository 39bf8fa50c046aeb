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
/** Ends after `SHORT_RUN_SECONDS` instead of a number of faults. */
const SHORT_RUN = { faultCount: undefined, userCount: 12, actEveryMs: 350 };
const SHORT_RUN_SECONDS = 60;

/** Seeds are unsigned 32-bit integers. */
const SEED_COUNT = 2 ** 32;

const stringOption = { type: 'string' } as const;

/** @throws Error with the usage, for an unknown option */
const parseArguments = (args: readonly string[]) => {
  try {
    return parseArgs({
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
    }).values;
  } catch {
    throw new Error(USAGE);
  }
};

/** @throws Error with the usage, if the text is not a count */
const parseCount = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(USAGE);
  return value;
};

const roundUpToEven = (count: number): number => count + (count % 2);

/** @throws Error with the usage, for an unknown option or a number that is not a count */
export const readOptions = (args: readonly string[]): Options => {
  const values = parseArguments(args);
  const isLong = values.long ?? false;
  const preset = isLong ? LONG_RUN : SHORT_RUN;
  const seconds = parseCount(values.seconds);
  // With `--seconds`, a long run too ends after that time. `--faults` takes precedence over both.
  const defaultFaultCount = seconds === undefined ? preset.faultCount : undefined;
  return {
    seed: parseCount(values.seed) ?? Math.floor(Math.random() * SEED_COUNT),
    durationMs: (seconds ?? SHORT_RUN_SECONDS) * 1_000,
    faultCount: parseCount(values.faults) ?? defaultFaultCount,
    userCount: roundUpToEven(parseCount(values.users) ?? preset.userCount),
    actEveryMs: parseCount(values.every) ?? preset.actEveryMs,
    labelFilters: values.only?.split(','),
    reportFile: values.report,
    endsWithLongFault: isLong,
  };
};
