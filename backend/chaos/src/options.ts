import { parseArgs } from 'node:util';

export interface Options {
  seed: number;
  /** How long faults are caused, in milliseconds. */
  durationMs: number;
  /** Number of faults to cause, instead of a duration. */
  faults: number | undefined;
  people: number;
  actEveryMs: number;
  /** Causes only faults whose label contains one of these texts. */
  only: string[] | undefined;
  /** File for the report as JSON. */
  report: string | undefined;
  /** Ends with a fault that lasts until the users reach the Reconnect button. */
  isLong: boolean;
}

const USAGE =
  'Usage: npm run chaos -- [--seed N] [--seconds 60] [--long] [--faults N] [--people N] [--every ms] [--only text,…] [--report file]';

const LONG = { faults: 104, people: 60, actEveryMs: 220 };
const SHORT = { people: 12, actEveryMs: 350, durationMs: 60_000 };

/** @throws Error with the usage */
export const readOptions = (args: readonly string[]): Options => {
  const string = { type: 'string' } as const;
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        seed: string,
        seconds: string,
        faults: string,
        people: string,
        every: string,
        only: string,
        report: string,
        long: { type: 'boolean' },
      },
    }));
  } catch {
    throw new Error(USAGE);
  }
  const number = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(USAGE);
    return value;
  };
  const isLong = values.long ?? false;
  const size = isLong ? LONG : SHORT;
  const seconds = number(values.seconds);
  const people = number(values.people) ?? size.people;
  return {
    seed: number(values.seed) ?? Math.floor(Math.random() * 0x1_0000_0000),
    durationMs: seconds === undefined ? SHORT.durationMs : seconds * 1_000,
    faults: number(values.faults) ?? (isLong && seconds === undefined ? LONG.faults : undefined),
    people: people + (people % 2),
    actEveryMs: number(values.every) ?? size.actEveryMs,
    only: values.only?.split(','),
    report: values.report,
    isLong,
  };
};
