import fs from 'node:fs';

/**
 * How many tests a stage ran, from its tool's own report.
 * @typedef {{passed: number, failed: number, skipped: number, unsteady?: string[]}} Counts  unsteady: names of those
 *   among the passed that needed a second try
 */

const NONE = { passed: 0, failed: 0, skipped: 0 };

/** Jest's --json. A file that could not even be loaded counts as one failed test. @returns {Counts} */
export function jestCounts(reportFile) {
  const report = readJson(reportFile);
  if (!report) return NONE;
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = report;
  const unsteady = (report.testResults ?? [])
    .flatMap(({ assertionResults }) => assertionResults ?? [])
    .filter(({ status, invocations }) => status === 'passed' && invocations > 1)
    .map(({ fullName }) => fullName);
  return withUnsteady(unsteady, {
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    skipped: numPendingTests + numTodoTests,
  });
}

/** Playwright's JSON report. @returns {Counts} */
export function playwrightCounts(reportFile) {
  const report = readJson(reportFile);
  if (!report?.stats) return NONE;
  const { expected, unexpected, flaky, skipped } = report.stats;
  const unsteady = (report.suites ?? [])
    .flatMap(specsOf)
    .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
    .map(({ title }) => title);
  return withUnsteady(unsteady, { passed: expected + flaky, failed: unexpected, skipped });
}

const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];

const withUnsteady = (unsteady, counts) => (unsteady.length > 0 ? { ...counts, unsteady } : counts);

/** A report of our own that says how much passed, failed and was skipped. @returns {Counts} */
export function reportCounts(reportFile) {
  const { passed = 0, failed = 0, skipped = 0 } = readJson(reportFile) ?? NONE;
  return { passed, failed, skipped };
}

/** The totals at the end of what `node --test` reports as TAP. @returns {Counts} */
export function tapCounts(reportFile) {
  const report = fs.existsSync(reportFile) ? fs.readFileSync(reportFile, 'utf8') : '';
  const total = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? 0);
  return {
    passed: total('pass'),
    failed: total('fail') + total('cancelled'),
    skipped: total('skipped') + total('todo'),
  };
}

/**
 * What a stage is worth once it has ended: its tool's verdict counts even where no test is named as failed, and a
 * stage of tests that ran none has failed.
 * @param {{counts?: Counts, code: number | null, isOverdue: boolean}} end  without counts: a check, which is one
 * @returns {Counts & {problem?: string}}
 */
export function verdict({ counts, code, isOverdue }) {
  const found = counts ?? { ...NONE, passed: code === 0 ? 1 : 0 };
  if (isOverdue) return { ...found, failed: found.failed + 1, problem: 'took too long and was ended' };
  if (code !== 0 && found.failed === 0)
    return { ...found, failed: 1, problem: counts && `ended with code ${code}` };
  if (found.passed + found.failed === 0) return { ...found, failed: 1, problem: 'ran no tests' };
  return found;
}

function readJson(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}
