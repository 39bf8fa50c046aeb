import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { LauncherError } from '../launcher-error.mjs';
import { readJestCounts } from './counts.mjs';
import { TestRun } from './test-run.mjs';

// Runs the real test run with its processes and stores. The programs of the stages are stand-ins.

const prepare = async () => {};
const createNodeCommand = (code) => [process.execPath, '-e', code];
const createStage = (name, code, more) => ({
  name,
  kind: 'static',
  command: createNodeCommand(code),
  limitMs: 20_000,
  ...more,
});

/** Creates stages that each write a file, and end only when the files of all of them exist. */
function createConcurrentStages(folder, names = ['first', 'second']) {
  const countFiles = `fs.readdirSync(${JSON.stringify(folder)}).length`;
  const wait = `const wait = () => ${countFiles} === ${names.length} || setTimeout(wait, 10); wait()`;
  return names.map((name) =>
    createStage(name, `fs.writeFileSync(${JSON.stringify(path.join(folder, name))}, ''); ${wait}`),
  );
}

/** Code of a stage that fails unless the folder contains exactly `count` files. */
const expectFiles = (folder, count) =>
  `process.exit(fs.readdirSync(${JSON.stringify(folder)}).length - ${count})`;

test('a run continues after a failed stage, and counts the results of all stages', async () => {
  const reportFile = (reports) => path.join(reports, 'jest.json');
  const jestReport = {
    numPassedTests: 3,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
  };
  const writeReportAndFail = (file) =>
    `fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(JSON.stringify(jestReport))}); process.exit(1)`;
  const run = new TestRun({
    prepare,
    listStages: (reports) => [
      createStage('passing', ''),
      createStage('failing', 'process.exit(3)'),
      createStage('one of four tests failing', writeReportAndFail(reportFile(reports)), {
        kind: 'unit',
        counts: () => readJestCounts(reportFile(reports)),
      }),
      createStage('without report', '', { kind: 'unit', counts: () => readJestCounts('/nonexistent') }),
      createStage('too slow', 'setTimeout(() => {}, 60_000)', { limitMs: 300 }),
    ],
  });
  assert.equal(await run.run(), true);
  const counts = Object.fromEntries(
    run.results.map(({ name, passed, failed }) => [name, { passed, failed }]),
  );
  assert.deepEqual(counts, {
    build: { passed: 1, failed: 0 },
    passing: { passed: 1, failed: 0 },
    failing: { passed: 0, failed: 1 },
    'one of four tests failing': { passed: 3, failed: 1 },
    'without report': { passed: 0, failed: 1 },
    'too slow': { passed: 0, failed: 1 },
  });
});

test('stages that share the machine run in pairs, stages that mostly wait run in addition, others run alone', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-pair-'));
  const [waiting, ...sharing] = createConcurrentStages(folder, ['waiting', 'first', 'second']);
  const run = new TestRun({
    prepare,
    listStages: () => [
      ...sharing.map((stage) => ({ ...stage, sharesMachine: true })),
      { ...waiting, sharesMachine: true, mostlyWaits: true },
      createStage('alone', expectFiles(folder, 3), { kind: 'launcher' }),
    ],
  });
  assert.equal(await run.run(), false);
  assert.equal(run.results.at(-1).name, 'alone');
  fs.rmSync(folder, { recursive: true });
});

test('with --verbose every stage runs alone, so that outputs are not mixed', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-verbose-'));
  const stages = createConcurrentStages(folder).map((stage) => ({ ...stage, sharesMachine: true }));
  stages[0].limitMs = 2_000;
  const run = new TestRun({ isVerbose: true, prepare, listStages: () => stages });
  assert.equal(await run.run(), true);
  const failed = run.results.filter(({ failed }) => failed > 0);
  assert.deepEqual(
    failed.map(({ name }) => name),
    ['first'],
  );
  fs.rmSync(folder, { recursive: true });
});

test('a run starts no stage after a failed build', async () => {
  const run = new TestRun({
    prepare: async () => {
      throw new LauncherError('The build failed');
    },
    listStages: () => [createStage('passing', '')],
  });
  assert.equal(await run.run(), true);
  assert.deepEqual(
    run.results.map(({ name }) => name),
    ['build'],
  );
});

test('a run gives private stores to the stages that need stores, despite DATABASE_URL, and deletes them afterwards', async () => {
  const code = `const { DATABASE_URL, REDIS_URL, THAW_HOME } = process.env;
    fs.accessSync(THAW_HOME + '/reports');
    if (!/127.0.0.1:2\\d{4}/.test(DATABASE_URL) || !/127.0.0.1:2\\d{4}/.test(REDIS_URL)) process.exit(1);
    fs.writeFileSync(process.argv[1], THAW_HOME);`;
  const noteFile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-note-')), 'home');
  const command = [...createNodeCommand(code), noteFile];
  const seesNoStores = `process.exit(Number('REDIS_URL' in process.env))`;
  const run = new TestRun({
    prepare,
    listStages: () => [
      createStage('stores', '', { kind: 'integration', command }),
      createStage('stores of an optional stage', '', { kind: 'optional', command, needsStores: true }),
      createStage('no stores', seesNoStores, { kind: 'optional' }),
    ],
  });
  assert.equal(await run.run(), false);
  assert.equal(fs.existsSync(fs.readFileSync(noteFile, 'utf8')), false);
  fs.rmSync(path.dirname(noteFile), { recursive: true });
});

test('a run skips a stage whose program is not installed, and passes the paths that were found to the others', async () => {
  const seesBrowser = 'process.exit(process.env.BROWSER_PATH === "/opt/browser" ? 0 : 1)';
  const run = new TestRun({
    prepare,
    listStages: () => [
      createStage('absent', 'process.exit(1)', {
        needs: { find: () => undefined, reasonToSkip: 'install it' },
      }),
      createStage('present', seesBrowser, {
        needs: { find: () => ({ BROWSER_PATH: '/opt/browser' }), reasonToSkip: '' },
      }),
    ],
  });
  assert.equal(await run.run(), false);
  const findResult = (name) => run.results.find((result) => result.name === name);
  assert.equal(findResult('absent').whySkipped, 'install it');
  assert.equal(findResult('present').passed, 1);
});

test('an interrupted run ends its stages and starts no other stage', async () => {
  const waiting = createStage('waiting', 'setTimeout(() => {}, 60_000)', { sharesMachine: true });
  const run = new TestRun({
    prepare,
    listStages: () => [waiting, waiting, createStage('never started', '')],
  });
  const ended = run.run();
  setTimeout(() => run.interrupt(), 300);
  await ended;
  assert.deepEqual(
    run.results.map(({ name }) => name),
    ['build'],
  );
});
