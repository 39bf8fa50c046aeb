import { parseArgs } from 'node:util';
import type { Settings } from './figures/figure';

/**
 * The figures that the bench measures, by their numbers in README.md. The numbers are not consecutive, because some
 * figures are measured elsewhere.
 */
export const figureNames = [
  'P1',
  'P2',
  'P3',
  'P4',
  'P5',
  'P6',
  'P7',
  'P9',
  'P10',
  'P13',
  'P16',
  'P17',
  'block',
] as const;

export interface Options {
  wanted: ReadonlySet<string>;
  isShort: boolean;
  settings: Settings;
}

const USAGE = `npm run bench -- [--only P1,P3] [--rounds 5] [--seconds 5] [--rate 1000] [--commands 3000] [--pairs 200] [--short] [--profile <folder>]`;

/** @throws Error for an unknown option; Error with the usage for an unknown figure or a number that is not positive. */
export const parseOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      rate: { type: 'string' },
      commands: { type: 'string' },
      pairs: { type: 'string' },
      short: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  });
  const isShort = values.short;
  const parsePositive = (text: string | undefined, defaultValue: number): number => {
    const value = text === undefined ? defaultValue : Number(text);
    if (!(value > 0)) throw new Error(USAGE);
    return value;
  };
  const wanted = new Set(values.only?.split(',') ?? figureNames);
  for (const name of wanted) {
    if (!(figureNames as readonly string[]).includes(name))
      throw new Error(`There is no figure ${name}. ${USAGE}`);
  }
  return {
    wanted,
    isShort,
    settings: {
      rounds: parsePositive(values.rounds, isShort ? 2 : 5),
      seconds: parsePositive(values.seconds, isShort ? 2 : 5),
      pairs: parsePositive(values.pairs, isShort ? 50 : 200),
      messagesPerSecond: parsePositive(values.rate, isShort ? 200 : 1_000),
      commandsPerSecond: parsePositive(values.commands, isShort ? 1_000 : 3_000),
      idleSockets: isShort ? 200 : 2_000,
      queueLengths: isShort ? [0, 1_000] : [0, 10_000, 100_000],
      replicaCounts: isShort ? [2, 3] : [2, 4, 8],
      historyRows: isShort ? 2_000 : 50_000,
      leaseCounts: isShort ? [10, 1_000] : [10, 100, 1_000],
      openedSockets: isShort ? 200 : 2_000,
      profiles: values.profile,
    },
  };
};
