import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { LauncherError } from '../launcher-error.mjs';
import { readJestCounts } from './counts.mjs';
import { TestRun } from './test-run.mjs';

// Uses real processes and stores. The programs of the stages are short scripts of `node -e`, where the modules of Node
// such as `fs` are global.

/** In place of the build. */
const prepare = async () => {};
const createNodeCommand = (code) => [process.execPath, '-e', code];
/** Creates a stage that runs `code` and passes if the exit code is 0. */
const createStage = (name, code, overrides) => ({
  name,
  kind: 'static',
  command: createNodeCommand(code),
  limitMs: 20_000,
  ...overrides,
});

// `run.run()` returns whether the build or a stage has failed.
const assertFails = async (run) => assert.equal(await run.run(), true);
const assertSucceeds = async (run) => assert.equal(await run.run(), false);

/** Creates the code that writes a file. A JSON string is also a literal of JavaScript. */
const createWriteCode = (file, text) => `fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)});`;

/** Creates stages that each write a file. They end only when all these files exist, so they must run concurrently. */
function createConcurrentStages(folder, names = ['first', 'second']) {
  const countFiles = `fs.readdirSync(${JSON.stringify(folder)}).length`;
  const waitCode = `const wait = () => ${countFiles} === ${names.length} || setTimeout(wait, 10); wait()`;
  return names.map((name) =>
    createStage(name, `${createWriteCode(path.join(folder, name), '')} ${waitCode}`),
  );
}

/** Creates the code of a stage that fails unless the folder contains exactly `count` files. */
const createFileCountCheck = (folder, count) =>
  `if (fs.readdirSync(${JSON.stringify(folder)}).length !== ${count}) process.exit(1)`;

test('a run continues after a failed stage, and counts the results of all stages', async () => {
  const getReportFile = (reports) => path.join(reports, 'jest.json');
  const jestReport = JSON.stringify({
    numPassedTests: 3,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
  });
  const writeReportAndFail = (file) => `${createWriteCode(file, jestReport)} process.exit(1)`;
  const run = new TestRun({
    prepare,
    listStages: (reports) => [
      createStage('passing', ''),
      createStage('failing', 'process.exit(3)'),
      createStage('one of four tests failing', writeReportAndFail(getReportFile(reports)), {
        kind: 'unit',
        readCounts: () => readJestCounts(getReportFile(reports)),
      }),
      createStage('without report', '', { kind: 'unit', readCounts: () => readJestCounts('/nonexistent') }),
      createStage('too slow', 'setTimeout(() => {}, 60_000)', { limitMs: 300 }),
    ],
  });
  await assertFails(run);
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

test('two stages that share the machine and one that mostly waits run concurrently, and other stages run later', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-pair-'));
  // Two stages with `sharesMachine` run at a time; one that also `mostlyWaits` does not count towards this limit.
  const [waitingStage, ...sharingStages] = createConcurrentStages(folder, ['waiting', 'first', 'second']);
  const run = new TestRun({
    prepare,
    listStages: () => [
      ...sharingStages.map((stage) => ({ ...stage, sharesMachine: true })),
      { ...waitingStage, sharesMachine: true, mostlyWaits: true },
      createStage('alone', createFileCountCheck(folder, 3), { kind: 'launcher' }),
    ],
  });
  await assertSucceeds(run);
  assert.equal(run.results.at(-1).name, 'alone');
  fs.rmSync(folder, { recursive: true });
});

test('with --verbose, stages that share the machine do not run concurrently', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-verbose-'));
  const stages = createConcurrentStages(folder).map((stage) => ({ ...stage, sharesMachine: true }));
  // The first stage waits in vain for the file of the second stage, which has not started.
  stages[0].limitMs = 2_000;
  const run = new TestRun({ isVerbose: true, prepare, listStages: () => stages });
  await assertFails(run);
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
  await assertFails(run);
  assert.deepEqual(
    run.results.map(({ name }) => name),
    ['build'],
  );
});

test('a run gives private stores to the stages that need stores, even if DATABASE_URL is set, and deletes them afterwards', async (t) => {
  process.env.DATABASE_URL = 'postgres://127.0.0.1/none';
  t.after(() => delete process.env.DATABASE_URL);
  // The stages with stores write THAW_HOME, the folder of the run, to this file.
  const homeNoteFile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-note-')), 'home');
  // Private stores have ports from 20000 to 29999.
  const failWithoutPrivateStores = `const { DATABASE_URL, REDIS_URL, THAW_HOME } = process.env;
    fs.accessSync(THAW_HOME + '/reports');
    if (!/127.0.0.1:2\\d{4}/.test(DATABASE_URL) || !/127.0.0.1:2\\d{4}/.test(REDIS_URL)) process.exit(1);
    fs.writeFileSync(process.argv[1], THAW_HOME);`;
  const command = [...createNodeCommand(failWithoutPrivateStores), homeNoteFile];
  const failIfStoresAreSet = `if ('REDIS_URL' in process.env) process.exit(1)`;
  const run = new TestRun({
    prepare,
    listStages: () => [
      createStage('stores', '', { kind: 'integration', command }),
      createStage('stores of an optional stage', '', { kind: 'optional', command, needsStores: true }),
      createStage('no stores', failIfStoresAreSet, { kind: 'optional' }),
    ],
  });
  await assertSucceeds(run);
  assert.equal(fs.existsSync(fs.readFileSync(homeNoteFile, 'utf8')), false);
  fs.rmSync(path.dirname(homeNoteFile), { recursive: true });
});

test('a run skips a stage whose program is not installed, and passes the paths that were found to the others', async () => {
  const failWithoutBrowser = 'if (process.env.BROWSER_PATH !== "/opt/browser") process.exit(1)';
  const run = new TestRun({
    prepare,
    listStages: () => [
      createStage('absent', 'process.exit(1)', {
        needs: { find: () => undefined, reasonToSkip: 'install it' },
      }),
      createStage('present', failWithoutBrowser, {
        needs: { find: () => ({ BROWSER_PATH: '/opt/browser' }), reasonToSkip: '' },
      }),
    ],
  });
  await assertSucceeds(run);
  const findResult = (name) => run.results.find((result) => result.name === name);
  assert.equal(findResult('absent').skipReason, 'install it');
  assert.equal(findResult('present').passed, 1);
});

test('an interrupted run ends its stages, which then have no result, and starts no other stage', async () => {
  const waitingStage = createStage('waiting', 'setTimeout(() => {}, 60_000)', { sharesMachine: true });
  const run = new TestRun({
    prepare,
    listStages: () => [waitingStage, waitingStage, createStage('never started', '')],
  });
  const runEnd = run.run();
  // The two waiting stages run for longer than this.
  setTimeout(() => run.interrupt(), 300);
  await runEnd;
  assert.deepEqual(
    run.results.map(({ name }) => name),
    ['build'],
  );
});
