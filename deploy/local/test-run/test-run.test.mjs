import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { Complaint } from '../complaint.mjs';
import { jestCounts } from './counts.mjs';
import { TestRun } from './test-run.mjs';

// Real: the run, its processes, its stores. Stand-ins: the programs of the stages.

const prepare = async () => {};
const program = (code) => [process.execPath, '-e', code];
const stage = (name, code, more) => ({
  name,
  kind: 'static',
  command: program(code),
  limitMs: 20_000,
  ...more,
});

test('a run continues after a failed stage, and counts the results of all', async () => {
  const report = (reports) => path.join(reports, 'jest.json');
  const counted = {
    numPassedTests: 3,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
  };
  const writing = (file) =>
    `fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(JSON.stringify(counted))}); process.exit(1)`;
  const run = new TestRun({
    prepare,
    stages: (reports) => [
      stage('fine', ''),
      stage('bad', 'process.exit(3)'),
      stage('some', writing(report(reports)), { kind: 'unit', counts: () => jestCounts(report(reports)) }),
      stage('none', '', { kind: 'unit', counts: () => jestCounts('/nonexistent') }),
      stage('slow', 'setTimeout(() => {}, 60_000)', { limitMs: 300 }),
    ],
  });
  assert.equal(await run.run(), true);
  const counts = Object.fromEntries(
    run.results.map(({ name, passed, failed }) => [name, { passed, failed }]),
  );
  assert.deepEqual(counts, {
    build: { passed: 1, failed: 0 },
    fine: { passed: 1, failed: 0 },
    bad: { passed: 0, failed: 1 },
    some: { passed: 3, failed: 1 },
    none: { passed: 0, failed: 1 },
    slow: { passed: 0, failed: 1 },
  });
});

test('a run starts quick stages two at once, and then the others one by one', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-pair-'));
  const [first, second] = ['first', 'second'].map((name) => JSON.stringify(path.join(folder, name)));
  const meet = (own, other) =>
    `fs.writeFileSync(${own}, ''); const wait = () => fs.existsSync(${other}) || setTimeout(wait, 10); wait()`;
  const alone = `process.exit(fs.readdirSync(${JSON.stringify(folder)}).length - 2)`;
  const run = new TestRun({
    prepare,
    stages: () => [
      stage('alone', alone, { kind: 'launcher' }),
      stage('first', meet(first, second)),
      stage('second', meet(second, first), { kind: 'unit' }),
    ],
  });
  assert.equal(await run.run(), false);
  assert.equal(run.results.at(-1).name, 'alone');
  fs.rmSync(folder, { recursive: true });
});

test('a run starts no stage after a failed build', async () => {
  const run = new TestRun({
    prepare: async () => {
      throw new Complaint('The build failed');
    },
    stages: () => [stage('fine', '')],
  });
  assert.equal(await run.run(), true);
  assert.deepEqual(
    run.results.map(({ name }) => name),
    ['build'],
  );
});

test('a run gives its stages private stores, whatever the environment names, and deletes them', async () => {
  const code = `const { DATABASE_URL, REDIS_URL, THAW_HOME } = process.env;
    fs.accessSync(THAW_HOME + '/reports');
    if (!/127.0.0.1:2\\d{4}/.test(DATABASE_URL) || !/127.0.0.1:2\\d{4}/.test(REDIS_URL)) process.exit(1);
    fs.writeFileSync(process.argv[1], THAW_HOME);`;
  const note = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-note-')), 'home');
  const command = [...program(code), note];
  const run = new TestRun({ prepare, stages: () => [stage('stores', '', { kind: 'integration', command })] });
  assert.equal(await run.run(), false);
  assert.equal(fs.existsSync(fs.readFileSync(note, 'utf8')), false);
  fs.rmSync(path.dirname(note), { recursive: true });
});

test('skips, and says so, a stage whose program is not installed, and gives others what was found', async () => {
  const seesBrowser = 'process.exit(process.env.BROWSER_PATH === "/opt/browser" ? 0 : 1)';
  const run = new TestRun({
    prepare,
    stages: () => [
      stage('absent', 'process.exit(1)', { needs: { find: () => undefined, orSkip: 'install it' } }),
      stage('present', seesBrowser, {
        needs: { find: () => ({ BROWSER_PATH: '/opt/browser' }), orSkip: '' },
      }),
    ],
  });
  assert.equal(await run.run(), false);
  const of = (name) => run.results.find((result) => result.name === name);
  assert.equal(of('absent').whySkipped, 'install it');
  assert.equal(of('present').passed, 1);
});

test('an interrupted run ends its stages and starts no further one', async () => {
  const waiting = stage('waiting', 'setTimeout(() => {}, 60_000)');
  const run = new TestRun({ prepare, stages: () => [waiting, waiting, stage('never', '')] });
  const ended = run.run();
  setTimeout(() => run.interrupt(), 300);
  await ended;
  assert.deepEqual(
    run.results.map(({ name }) => name),
    ['build'],
  );
});

test('runs what belongs to the long form in the long form alone', async () => {
  const namesOf = async (isLong) => {
    const stages = () => [stage('always', ''), stage('at length', '', { isLongOnly: true })];
    const run = new TestRun({ isLong, prepare, stages });
    assert.equal(await run.run(), false);
    // Quick stages run in pairs, and either may end first.
    return new Set(run.results.map(({ name }) => name));
  };
  assert.deepEqual(await namesOf(false), new Set(['build', 'always']));
  assert.deepEqual(await namesOf(true), new Set(['build', 'always', 'at length']));
});
