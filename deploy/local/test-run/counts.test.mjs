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

const judgeExit = (code, counts) => judgeStage({ code, counts, isOverdue: false });

test('a stage without counts is a check and counts as one test', () => {
  assert.deepEqual(judgeExit(0), { passed: 1, failed: 0, skipped: 0 });
  assert.equal(judgeExit(2).failed, 1);
});

test('a stage that ran no tests has failed', () => {
  assert.equal(judgeExit(0, { passed: 0, failed: 0, skipped: 3 }).failed, 1);
  assert.equal(judgeExit(0, { passed: 0, failed: 0, skipped: 3 }).problem, 'ran no tests');
});

test('a stage fails when its tool exits with an error or takes too long, even if no test has failed', () => {
  assert.equal(judgeExit(1, { passed: 9, failed: 0, skipped: 0 }).failed, 1);
  assert.equal(judgeExit(1, { passed: 9, failed: 2, skipped: 0 }).failed, 2);
  assert.equal(
    judgeStage({ code: null, counts: { passed: 9, failed: 0, skipped: 0 }, isOverdue: true }).failed,
    1,
  );
});

test('counts are read from the reports of Jest, Playwright, node --test and the chaos harness', (t) => {
  const writeReport = createReportWriter(t);
  // One failed test, and two test files that cannot be loaded.
  const jest = {
    numPassedTests: 5,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 2,
    numPendingTests: 1,
    numTodoTests: 0,
  };
  assert.deepEqual(readJestCounts(writeReport(JSON.stringify(jest))), { passed: 5, failed: 3, skipped: 1 });
  const chaos = { passed: 11, failed: 1, skipped: 2, seed: 12 };
  assert.deepEqual(readChaosCounts(writeReport(JSON.stringify(chaos))), {
    passed: 11,
    failed: 1,
    skipped: 2,
  });
  const playwright = { stats: { expected: 4, unexpected: 1, flaky: 0, skipped: 0 } };
  assert.deepEqual(readPlaywrightCounts(writeReport(JSON.stringify(playwright))), {
    passed: 4,
    failed: 1,
    skipped: 0,
  });
  // A cancelled test counts as failed.
  const tap = '# tests 7\n# pass 4\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n';
  assert.deepEqual(readTapCounts(writeReport(tap)), { passed: 4, failed: 2, skipped: 1 });
});

test('tests that passed only when retried are listed as flaky, with the reason for their failure', (t) => {
  const writeReport = createReportWriter(t);
  const passedFirst = { status: 'passed', invocations: 1, fullName: 'stable' };
  const passedOnRetry = {
    status: 'passed',
    invocations: 2,
    fullName: 'flaky',
    retryReasons: ['Error: 503\n  at a.spec.ts:7'],
  };
  const neverPassed = { status: 'failed', invocations: 2, fullName: 'broken' };
  const jest = {
    numPassedTests: 2,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ assertionResults: [passedFirst, passedOnRetry, neverPassed] }],
  };
  assert.deepEqual(readJestCounts(writeReport(JSON.stringify(jest))), {
    passed: 2,
    failed: 1,
    skipped: 0,
    flaky: [{ name: 'flaky', reason: 'Error: 503\n  at a.spec.ts:7' }],
  });
  const results = [{ error: { message: '\u001b[31mError: not visible\u001b[39m' } }, {}];
  const playwright = {
    stats: { expected: 1, unexpected: 0, flaky: 1, skipped: 0 },
    suites: [
      {
        specs: [{ title: 'stable', tests: [{ status: 'expected' }] }],
        suites: [{ specs: [{ title: 'flaky', tests: [{ status: 'flaky', results }] }] }],
      },
    ],
  };
  assert.deepEqual(readPlaywrightCounts(writeReport(JSON.stringify(playwright))), {
    passed: 2,
    failed: 0,
    skipped: 0,
    flaky: [{ name: 'flaky', reason: 'Error: not visible' }],
  });
});

test('a missing report counts as no tests', () => {
  for (const read of [readJestCounts, readPlaywrightCounts, readChaosCounts, readTapCounts]) {
    assert.deepEqual(read('/nonexistent'), { passed: 0, failed: 0, skipped: 0 });
  }
});

/** @returns a function that writes a report to a temporary file and returns the path of the file */
function createReportWriter(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-report-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return (text) => {
    const file = path.join(folder, 'report');
    fs.writeFileSync(file, text);
    return file;
  };
}
