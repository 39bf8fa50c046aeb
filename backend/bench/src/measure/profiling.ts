import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { logProgress } from '../figures/figure';
import type { ServerProcess } from './server-process';

interface CallFrame {
  functionName: string;
  url: string;
  /** From 0. */
  lineNumber: number;
}

interface Profile {
  nodes: { id: number; callFrame: CallFrame }[];
  /** The node that ran at each sample. */
  samples: number[];
  /** The time of each sample, in microseconds. */
  timeDeltas: number[];
}

const MAX_SHOWN_FUNCTIONS = 45;
/** Time within which a server writes its profile after profiling was stopped. */
export const PROFILE_WRITE_MS = 1_000;

/**
 * Takes CPU profiles of servers under load.
 * @param folder folder for the profiles, one folder in it for each figure. If undefined, all functions do nothing.
 */
export const createProfiler = (folder: string | undefined) => ({
  /** @returns options with which a server must be started so that it can be profiled */
  prepare: (figure: string): { nodeFlags?: string[]; env?: Record<string, string> } => {
    if (!folder) return {};
    const figureFolder = path.join(folder, figure);
    mkdirSync(figureFolder, { recursive: true });
    return {
      nodeFlags: ['--require', path.join(__dirname, '../profile-on-signal.js')],
      env: { BENCH_PROFILES: figureFolder },
    };
  },
  /** The first call starts the profiles, the second stops them; see profile-on-signal.ts. */
  toggle: (servers: readonly ServerProcess[]): void => {
    if (!folder) return; // the signal would end a server that is not prepared
    for (const server of servers) server.sendSignal('SIGUSR2');
  },
  /** Logs which functions of the first replica took the most CPU time themselves. */
  logReport: (figure: string): void => {
    if (!folder) return;
    const topFunctions = renderTopFunctions(path.join(folder, figure, 'api-1.cpuprofile'));
    logProgress(`Self time of api-1 under the load of ${figure}:\n${topFunctions}`);
  },
});

const renderTopFunctions = (file: string): string => {
  const selfMicros = sumSelfMicros(JSON.parse(readFileSync(file, 'utf8')) as Profile);
  const totalMicros = [...selfMicros.values()].reduce((sum, micros) => sum + micros, 0);
  return [...selfMicros]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN_FUNCTIONS)
    .map(([name, micros]) => `${((micros / totalMicros) * 100).toFixed(1).padStart(6)} %  ${name}`)
    .join('\n');
};

/** @returns the time that each function took itself, in microseconds, by its name and place */
const sumSelfMicros = ({ nodes, samples, timeDeltas }: Profile): Map<string, number> => {
  const frameById = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const selfMicros = new Map<string, number>();
  for (const [index, nodeId] of samples.entries()) {
    const frame = frameById.get(nodeId);
    if (!frame || isIdleOrProfiler(frame)) continue;
    const name = describeFunction(frame);
    selfMicros.set(name, (selfMicros.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return selfMicros;
};

/** The start of the profiler appears as a function `dispatch` without a URL. */
const isIdleOrProfiler = ({ functionName, url }: CallFrame): boolean =>
  functionName === '(idle)' || (functionName === 'dispatch' && url === '');

const describeFunction = ({ functionName, url, lineNumber }: CallFrame): string => {
  const file = url.replace(/^.*\/(node_modules|dist)\//, '');
  return `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
};
