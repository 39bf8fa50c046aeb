import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';
import test from 'node:test';
import { explainOldNode } from './node-version.mjs';
import { resolveInRepository } from './paths.mjs';

const ENTRY_SCRIPTS = ['start', 'test', 'dev', 'load', 'chaos', 'with-stores', 'with-cluster', 'with-pooler'];

test('versions of Node before 20.19 are too old', () => {
  for (const version of ['12.22.12', '18.20.0', '20.18.3'])
    assert.match(explainOldNode(version), /^Thaw needs Node 20\.19/);
  for (const version of ['20.19.0', '20.20.2', '22.0.0', '24.1.0']) assert.equal(explainOldNode(version), '');
});

test('every entry script prints one sentence and exits with code 1 when Node is too old', () => {
  const pretendNode18 = "Object.defineProperty(process.versions, 'node', { value: '18.0.0' });";
  for (const name of ENTRY_SCRIPTS) {
    const script = resolveInRepository(`deploy/local/${name}.mjs`);
    const preload = `data:text/javascript,${encodeURIComponent(pretendNode18)}`;
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload, script], {
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.equal(stderr, 'Thaw needs Node 20.19 or later, and this is Node 18.0.0.\n');
  }
});

test('code that runs before the version check imports only that check and uses no recent syntax', () => {
  for (const name of ['node-version', ...ENTRY_SCRIPTS]) {
    const code = fs.readFileSync(resolveInRepository(`deploy/local/${name}.mjs`), 'utf8');
    const imports = [...code.matchAll(/^import .* from '(.*)'/gm)].map(([, source]) => source);
    assert.ok(imports.every((source) => source === './node-version.mjs'));
    // `??`, `?.`, `await` and private members (`#name`).
    assert.doesNotMatch(code, /\?\?|\?\.|\bawait\b|#\w+[;(]/);
  }
});
