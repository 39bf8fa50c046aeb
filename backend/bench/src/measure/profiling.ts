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
/** A server writes its profile within this time after the second signal. */
export const PROFILE_WRITE_MS = 1_000;

/** Takes CPU profiles of this build's replicas under load. Does nothing when `folder` is undefined. */
export const createProfiler = (folder: string | undefined) => {
  let current = '';
  return {
    prepare: (figure: string): { nodeFlags?: string[]; env?: Record<string, string> } => {
      if (!folder) return {};
      current = path.join(folder, figure);
      mkdirSync(current, { recursive: true });
      return {
        nodeFlags: ['--require', path.join(__dirname, '../profile-on-signal.js')],
        env: { BENCH_PROFILES: current },
      };
    },
    toggle: (servers: readonly ServerProcess[]): void => {
      for (const server of servers) server.sendSignal('SIGUSR2');
    },
    logReport: (figure: string): void => {
      logProgress(
        `Self time of api-1 under the load of ${figure}:\n${renderTopFunctions(path.join(current, 'api-1.cpuprofile'))}`,
      );
    },
  };
};

const renderTopFunctions = (file: string): string => {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const nameById = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`,
    ]),
  );
  const selfMicros = new Map<string, number>();
  let total = 0;
  for (const [index, sample] of samples.entries()) {
    const name = nameById.get(sample) ?? '';
    // `dispatch :0` is the start of the profiler itself.
    if (name.startsWith('(idle)') || name === 'dispatch :0') continue;
    const micros = timeDeltas[index] ?? 0;
    total += micros;
    selfMicros.set(name, (selfMicros.get(name) ?? 0) + micros);
  }
  return [...selfMicros]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN_FUNCTIONS)
    .map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(6)} %  ${name}`)
    .join('\n');
};
