import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { readOptions } from '../commands/test.mjs';
import { LauncherError } from '../launcher-error.mjs';
import { resolveInRepository } from '../paths.mjs';
import { listOptionalStages } from './optional-stages.mjs';
import { selectStages } from './select-stages.mjs';
import { listStages } from './stages.mjs';

/** The stages are only listed, so nothing is written to this folder. */
const REPORTS_FOLDER = 'reports';

/** Returns the names of the selected stages. `list` is `listStages` or `listOptionalStages`. */
const selectNames = (list, options) => selectStages(list(REPORTS_FOLDER), options).map(({ name }) => name);

/** Returns the message of the LauncherError with which `readOptions` refuses these arguments. */
const readError = (args) => {
  try {
    readOptions(args);
  } catch (error) {
    assert.ok(error instanceof LauncherError);
    return error.message;
  }
  return assert.fail('no error');
};

test('--only selects the stages of a kind', () => {
  assert.deepEqual(selectNames(listStages, { only: 'unit' }), [
    'unit: frontend',
    'unit: backend',
    'unit: contract',
  ]);
  assert.ok(selectNames(listStages, { only: 'process' }).includes('chaos'));
});

test('--only that is not a kind selects the stage with this name, even if other names contain it', () => {
  assert.deepEqual(selectNames(listStages, { only: 'unit: backend' }), ['unit: backend']);
  assert.deepEqual(selectNames(listOptionalStages, { only: 'redis cluster' }), ['redis cluster']);
});

test('--only that is neither a kind nor a name selects the stages whose names contain it', () => {
  assert.deepEqual(selectNames(listOptionalStages, { only: 'firefox' }), ['journey: firefox']);
  assert.deepEqual(selectNames(listOptionalStages, { only: 'cluster' }), [
    'redis cluster',
    'redis cluster: failover',
  ]);
});

test('all optional stages are selected without --only', () => {
  const selected = selectNames(listOptionalStages, {});
  assert.equal(selected.length, listOptionalStages(REPORTS_FOLDER).length);
});

test('stages for long runs are selected only with --long', () => {
  assert.equal(selectNames(listStages, {}).includes('drill'), false);
  assert.ok(selectNames(listStages, { isLong: true }).includes('drill'));
  assert.deepEqual(selectNames(listStages, { only: 'drill', isLong: true }), ['drill']);
  assert.throws(() => selectNames(listStages, { only: 'drill' }), /"drill" runs with --long only/);
});

test('an unknown stage is refused, when the options are read, with a list of the kinds and stages', () => {
  assert.match(
    readError(['--optional', '--only', 'oracle']),
    /^There is no stage "oracle"\. Stages: "journey: firefox", .*"pgbouncer"/,
  );
  assert.match(
    readError(['--only', 'oracle']),
    /^There is no stage "oracle"\. Kinds: static, unit, .* Stages: "lint"/,
  );
});

test('an unknown option is refused with the usage', () => {
  assert.match(readError(['--nonsense']), /Unknown option '--nonsense'.*Usage/);
});

test('an unknown stage is refused with a list also in a fresh clone, where no packages are installed', () => {
  const clone = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-clone-'));
  try {
    fs.cpSync(resolveInRepository('deploy'), path.join(clone, 'deploy'), { recursive: true });
    const script = path.join(clone, 'deploy/local/test.mjs'); // the script of `npm test`
    for (const options of [[], ['--optional']]) {
      const command = [script, ...options, '--only', 'oracle'];
      const { stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
      assert.match(stderr, /There is no stage "oracle".* Stages: "/);
    }
  } finally {
    fs.rmSync(clone, { recursive: true });
  }
});
