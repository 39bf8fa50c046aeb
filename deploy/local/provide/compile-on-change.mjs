import fs from 'node:fs';
import { logStep } from '../console.mjs';
import { resolveInRepository } from '../paths.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { createNxEnvironment, createNxCommand } from './build.mjs';

const DEBOUNCE_MS = 150;

/**
 * Rebuilds contract and backend when their sources change, one build at a time.
 * @returns {() => void} stops watching
 */
export function compileOnChange() {
  let timer;
  let isCompiling = false;
  const compile = async () => {
    // The running build may have read the sources before they changed, so another one follows it.
    if (isCompiling) return scheduleCompile();
    isCompiling = true;
    // nx also builds contract, because backend depends on it.
    const [command, ...args] = [...createNxCommand('build'), '-p', '@thaw/backend'];
    const { code, output } = await runToEnd(command, args, {
      cwd: resolveInRepository(),
      env: createNxEnvironment(),
    });
    isCompiling = false;
    logStep('compiled', code === 0 ? 'contract and backend' : `with errors:\n${output.trim()}`);
  };
  const scheduleCompile = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void compile(), DEBOUNCE_MS);
  };
  const watchers = ['contract/src', 'backend/src'].map((name) =>
    fs.watch(resolveInRepository(name), { recursive: true }, scheduleCompile),
  );
  return () => {
    clearTimeout(timer);
    watchers.forEach((watcher) => watcher.close());
  };
}
