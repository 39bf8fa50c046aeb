import assert from 'node:assert/strict';
import test from 'node:test';
import { formatStage } from './report.mjs';

// `node --test` runs this file without a terminal, so the lines have no colours.

const createResult = (changes) => ({
  name: 'lint',
  passed: 0,
  failed: 0,
  skipped: 0,
  tookMs: 1_500,
  ...changes,
});

test('a stage that passed is marked with ✓ and shows its time and its counts', () => {
  assert.equal(
    formatStage(createResult({ passed: 3, skipped: 1 })),
    '  ✓ lint                  1.5 s  3 passed, 1 skipped',
  );
});

test('a stage with a failed test is marked with ✗ and shows its time and its counts', () => {
  assert.equal(
    formatStage(createResult({ passed: 3, failed: 1 })),
    '  ✗ lint                  1.5 s  3 passed, 1 failed',
  );
});

test('a stage with a problem is marked with ✗ even without a failed test, and shows the problem', () => {
  const line = formatStage(createResult({ passed: 3, problem: 'took too long and was ended' }));
  assert.equal(line, '  ✗ lint                  1.5 s  3 passed (took too long and was ended)');
});

test('a skipped stage shows the reason in place of time and counts', () => {
  const line = formatStage(createResult({ skipReason: 'no Chromium was found' }));
  assert.equal(line, '  – lint                         SKIPPED: no Chromium was found');
});
