import { parseArgs } from 'node:util';
import type { Settings } from './figures/figure';

/** The names of the figures. README.md lists their units, and with what each is compared. */
const figureNames = [
  'P1', // CPU per message, compared with a minimal relay
  'P2', // CPU per message, compared with Socket.IO
  'P3', // CPU per command that stores nothing
  'P4', // memory per idle socket
  'P5', // CPU of Redis per message
  'P6', // CPU of Redis per join of the match queue
  'P7', // publications that reach replicas on which the chat has no participant
  'P8', // time from sending a message until its arrival, through nginx
  'P9', // events persisted per second, and their lag
  'P10', // time until a private message is acknowledged
  'P11', // messages delivered while connections are cut
  'P12', // time from `npm start` to the first page
  'P13', // CPU to open and authenticate a socket
  'P14', // CPU of an anonymous sign-up
  'P15', // messages per second that two replicas sustain
  'P16', // time until the sockets of a killed replica have reconnected
  'P17', // CPU of Redis per idle replica, by the number of replicas
  'P18', // CPU and memory of an api process until it is ready
  'block', // response time of the request with which a user blocks the chat partner
  'cluster', // CPU per message, and joins per second, with a Redis Cluster
  'cost', // CPU of every process per operation, and the memory of chats
  'wal', // bytes of PostgreSQL's write-ahead log per message and per end of a chat
] as const;

export type FigureName = (typeof figureNames)[number];

const isFigureName = (name: string): name is FigureName => (figureNames as readonly string[]).includes(name);

export interface Options {
  /** The figures to measure. */
  wantedFigures: ReadonlySet<FigureName>;
  /** Few rounds and small numbers, for CI; writes no results. */
  isShort: boolean;
  settings: Settings;
}

const USAGE = `npm run bench -- [--only P1,P3] [--rounds 5] [--seconds 5] [--rate 1000] [--commands 3000] [--pairs 200] [--short] [--profile <folder>]`;

/** @throws Error for an unknown option or figure, or a number that is not positive */
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
  const wantedFigures = new Set<FigureName>();
  for (const name of values.only?.split(',') ?? figureNames) {
    if (!isFigureName(name)) throw new Error(`There is no figure ${name}. ${USAGE}`);
    wantedFigures.add(name);
  }
  return {
    wantedFigures,
    isShort,
    // The interface `Settings` explains each value and names the figures that use it.
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
      replicaLeaseCounts: isShort ? [10, 1_000] : [10, 100, 1_000],
      openedSockets: isShort ? 200 : 2_000,
      warmUpOpenings: isShort ? 1 : 5,
      deliveryRate: isShort ? 100 : 500,
      cutRunSeconds: isShort ? 5 : 45,
      signUps: isShort ? 50 : 500,
      profileFolder: values.profile,
    },
  };
};
