import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { jestCounts, playwrightCounts, reportCounts, tapCounts, verdict } from './counts.mjs';

const ended = (code, counts) => verdict({ code, counts, isOverdue: false });

test('a check counts as one test', () => {
  assert.deepEqual(ended(0), { passed: 1, failed: 0, skipped: 0 });
  assert.equal(ended(2).failed, 1);
});

test('a stage that ran no tests has failed', () => {
  assert.equal(ended(0, { passed: 0, failed: 0, skipped: 3 }).failed, 1);
  assert.equal(ended(0, { passed: 0, failed: 0, skipped: 3 }).problem, 'ran no tests');
});

test('a stage fails when its tool exits with an error or takes too long, whatever it counted', () => {
  assert.equal(ended(1, { passed: 9, failed: 0, skipped: 0 }).failed, 1);
  assert.equal(ended(1, { passed: 9, failed: 2, skipped: 0 }).failed, 2);
  assert.equal(
    verdict({ code: null, counts: { passed: 9, failed: 0, skipped: 0 }, isOverdue: true }).failed,
    1,
  );
});

test('counts are read from the reports of Jest, Playwright, node --test and the chaos harness', (t) => {
  const report = reportFile(t);
  const jest = {
    numPassedTests: 5,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 2,
    numPendingTests: 1,
    numTodoTests: 0,
  };
  assert.deepEqual(jestCounts(report(JSON.stringify(jest))), { passed: 5, failed: 3, skipped: 1 });
  const own = { passed: 11, failed: 1, skipped: 2, seed: 12 };
  assert.deepEqual(reportCounts(report(JSON.stringify(own))), { passed: 11, failed: 1, skipped: 2 });
  const playwright = { stats: { expected: 4, unexpected: 1, flaky: 0, skipped: 0 } };
  assert.deepEqual(playwrightCounts(report(JSON.stringify(playwright))), {
    passed: 4,
    failed: 1,
    skipped: 0,
  });
  const tap = '# tests 7\n# pass 4\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n';
  assert.deepEqual(tapCounts(report(tap)), { passed: 4, failed: 2, skipped: 1 });
});

test('tests that passed only at the second attempt are named', (t) => {
  const report = reportFile(t);
  const once = { status: 'passed', invocations: 1, fullName: 'steady' };
  const twice = { status: 'passed', invocations: 2, fullName: 'shaky' };
  const never = { status: 'failed', invocations: 2, fullName: 'broken' };
  const jest = {
    numPassedTests: 2,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ assertionResults: [once, twice, never] }],
  };
  assert.deepEqual(jestCounts(report(JSON.stringify(jest))), {
    passed: 2,
    failed: 1,
    skipped: 0,
    unsteady: ['shaky'],
  });
  const playwright = {
    stats: { expected: 1, unexpected: 0, flaky: 1, skipped: 0 },
    suites: [
      {
        specs: [{ title: 'steady', tests: [{ status: 'expected' }] }],
        suites: [{ specs: [{ title: 'shaky', tests: [{ status: 'flaky' }] }] }],
      },
    ],
  };
  assert.deepEqual(playwrightCounts(report(JSON.stringify(playwright))), {
    passed: 2,
    failed: 0,
    skipped: 0,
    unsteady: ['shaky'],
  });
});

test('a missing report counts as no tests', () => {
  for (const read of [jestCounts, playwrightCounts, tapCounts]) {
    assert.deepEqual(read('/nonexistent'), { passed: 0, failed: 0, skipped: 0 });
  }
});

function reportFile(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-report-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return (text) => {
    const file = path.join(folder, 'report');
    fs.writeFileSync(file, text);
    return file;
  };
}
