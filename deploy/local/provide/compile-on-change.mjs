import fs from 'node:fs';
import { say } from '../console.mjs';
import { inRepository } from '../places.mjs';
import { runToEnd } from '../processes/run-to-end.mjs';
import { nxEnvironment, nxRunMany } from './build.mjs';

const QUIET_MS = 150;

/**
 * Builds contract and backend again whenever their sources change, once at a time.
 * @returns {() => void} stops looking
 */
export function compileOnChange() {
  let timer;
  let isCompiling = false;
  const compile = async () => {
    // What changed meanwhile is looked at when this is done.
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
