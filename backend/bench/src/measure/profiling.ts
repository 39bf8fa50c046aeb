import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { logProgress } from '../figures/figure';
import type { ServerProcess } from './server-process';

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const MAX_SHOWN_FUNCTIONS = 45;
/** Time within which a server writes its profile after profiling was stopped. */
export const PROFILE_WRITE_MS = 1_000;

/**
 * Takes CPU profiles of servers under load.
 * @param folder folder for the profiles. If it is undefined, none are taken, and only `prepare` may be called.
 */
export const createProfiler = (folder: string | undefined) => {
  /** Folder of the figure for which `prepare` was called last. */
  let figureFolder = '';
  return {
    /** @returns options with which a server must be started so that it can be profiled */
    prepare: (figure: string): { nodeFlags?: string[]; env?: Record<string, string> } => {
      if (!folder) return {};
      figureFolder = path.join(folder, figure);
      mkdirSync(figureFolder, { recursive: true });
      return {
        nodeFlags: ['--require', path.join(__dirname, '../profile-on-signal.js')],
        env: { BENCH_PROFILES: figureFolder },
      };
    },
    /** The first call starts the profiles, the second stops them; see profile-on-signal.ts. */
    toggle: (servers: readonly ServerProcess[]): void => {
      for (const server of servers) server.sendSignal('SIGUSR2');
    },
    /** Logs which functions of the first replica took the most CPU time themselves. */
    logReport: (figure: string): void => {
      const topFunctions = renderTopFunctions(path.join(figureFolder, 'api-1.cpuprofile'));
      logProgress(`Self time of api-1 under the load of ${figure}:\n${topFunctions}`);
    },
  };
};

const renderTopFunctions = (file: string): string => {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  // Line numbers in a profile start at 0.
  const nameById = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`,
    ]),
  );
  const selfMicros = new Map<string, number>();
  let totalMicros = 0;
  for (const [index, nodeId] of samples.entries()) {
    const name = nameById.get(nodeId) ?? '';
    // The profiler's own start appears as a function `dispatch` without a URL.
    if (name.startsWith('(idle)') || name === 'dispatch :0') continue;
    const micros = timeDeltas[index] ?? 0;
    totalMicros += micros;
    selfMicros.set(name, (selfMicros.get(name) ?? 0) + micros);
  }
  return [...selfMicros]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN_FUNCTIONS)
    .map(([name, micros]) => `${((micros / totalMicros) * 100).toFixed(1).padStart(6)} %  ${name}`)
    .join('\n');
};
