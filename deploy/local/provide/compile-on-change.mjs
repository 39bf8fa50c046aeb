import fs from 'node:fs';
import { say } from '../console.mjs';
import { inRepository } from '../places.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { nxEnvironment, nxRunMany } from './build.mjs';

const QUIET_MS = 150;

/**
 * Rebuilds contract and backend when their sources change, one build at a time.
 * @returns {() => void} stops watching
 */
export function compileOnChange() {
  let timer;
  let isCompiling = false;
  const compile = async () => {
    // Sources changed during a build: try again after the delay, until the build is done.
    if (isCompiling) return later();
    isCompiling = true;
    const [command, ...args] = [...nxRunMany('build'), '-p', '@thaw/backend'];
    const { code, output } = await runToEnd(command, args, { cwd: inRepository(), env: nxEnvironment() });
    isCompiling = false;
    say('compiled', code === 0 ? 'contract and backend' : `with errors:\n${output.trim()}`);
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void compile(), QUIET_MS);
  };
  const watchers = ['contract/src', 'backend/src'].map((name) =>
    fs.watch(inRepository(name), { recursive: true }, later),
  );
  return () => {
    clearTimeout(timer);
    watchers.forEach((watcher) => watcher.close());
  };
}
