import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import {
  readJestCounts,
  readPlaywrightCounts,
  readChaosCounts,
  readTapCounts,
  judgeStage,
} from './counts.mjs';

/** Judges a stage that was not ended early. A stage without counts is a check, such as lint, which runs no tests. */
const judgeExit = ({ code, counts }) => judgeStage({ code, counts, isOverdue: false });

test('a check counts as one test, which fails when its tool exits with an error', () => {
  assert.deepEqual(judgeExit({ code: 0 }), { passed: 1, failed: 0, skipped: 0 });
  assert.equal(judgeExit({ code: 2 }).failed, 1);
});

test('a stage that ran no tests has failed', () => {
  const result = judgeExit({ code: 0, counts: { passed: 0, failed: 0, skipped: 3 } });
  assert.equal(result.failed, 1);
  assert.equal(result.problem, 'ran no tests');
});

test('a stage fails when its tool exits with an error, even if no test has failed', () => {
  assert.equal(judgeExit({ code: 1, counts: { passed: 9, failed: 0, skipped: 0 } }).failed, 1);
});

test('the exit code adds no failure when tests have failed', () => {
  assert.equal(judgeExit({ code: 1, counts: { passed: 9, failed: 2, skipped: 0 } }).failed, 2);
});

test('a stage fails when it takes too long, even if no test has failed', () => {
  const counts = { passed: 9, failed: 0, skipped: 0 };
  assert.equal(judgeStage({ code: null, counts, isOverdue: true }).failed, 1);
});

test('Jest: a test file that cannot be loaded counts as a failed test', (t) => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 2, // test files that cannot be loaded
    numPendingTests: 1,
    numTodoTests: 0,
  };
  assert.deepEqual(readJestCounts(writeJsonReport(t, report)), { passed: 5, failed: 3, skipped: 1 });
});

test('Jest: a test that passed only when it was retried is listed as flaky, with the reason for its failure', (t) => {
  const passedFirst = { status: 'passed', invocations: 1, fullName: 'stable' };
  const passedOnRetry = {
    status: 'passed',
    invocations: 2,
    fullName: 'flaky',
    retryReasons: ['Error: 503\n  at a.spec.ts:7'],
  };
  const neverPassed = { status: 'failed', invocations: 2, fullName: 'broken' };
  const report = {
    numPassedTests: 2,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ assertionResults: [passedFirst, passedOnRetry, neverPassed] }],
  };
  assert.deepEqual(readJestCounts(writeJsonReport(t, report)), {
    passed: 2,
    failed: 1,
    skipped: 0,
    flaky: [{ name: 'flaky', reason: 'Error: 503\n  at a.spec.ts:7' }],
  });
});

test('Playwright: counts are read from the statistics of the report', (t) => {
  const report = { stats: { expected: 4, unexpected: 1, flaky: 0, skipped: 0 } };
  assert.deepEqual(readPlaywrightCounts(writeJsonReport(t, report)), { passed: 4, failed: 1, skipped: 0 });
});

test('Playwright: a flaky test counts as passed and is listed, with the reason for its failure', (t) => {
  const failedAttempt = { error: { message: '\u001b[31mError: not visible\u001b[39m' } };
  const passedAttempt = {};
  const flakyTest = { status: 'flaky', results: [failedAttempt, passedAttempt] };
  const report = {
    stats: { expected: 1, unexpected: 0, flaky: 1, skipped: 0 },
    suites: [
      {
        specs: [{ title: 'stable', tests: [{ status: 'expected' }] }],
        suites: [{ specs: [{ title: 'flaky', tests: [flakyTest] }] }],
      },
    ],
  };
  assert.deepEqual(readPlaywrightCounts(writeJsonReport(t, report)), {
    passed: 2,
    failed: 0,
    skipped: 0,
    flaky: [{ name: 'flaky', reason: 'Error: not visible' }],
  });
});

test('Chaos test: counts are read from the report', (t) => {
  const report = { passed: 11, failed: 1, skipped: 2, seed: 12 };
  assert.deepEqual(readChaosCounts(writeJsonReport(t, report)), { passed: 11, failed: 1, skipped: 2 });
});

test('node --test: a cancelled test counts as failed', (t) => {
  const report = '# tests 7\n# pass 4\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n';
  assert.deepEqual(readTapCounts(writeReport(t, report)), { passed: 4, failed: 2, skipped: 1 });
});

test('a missing report counts as no tests', () => {
  for (const read of [readJestCounts, readPlaywrightCounts, readChaosCounts, readTapCounts]) {
    assert.deepEqual(read('/nonexistent'), { passed: 0, failed: 0, skipped: 0 });
  }
});

/** Writes a report to a file that exists until the end of the test. @returns the path of the file */
function writeReport(t, text) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-report-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'report');
  fs.writeFileSync(file, text);
  return file;
}

function writeJsonReport(t, report) {
  return writeReport(t, JSON.stringify(report));
}
