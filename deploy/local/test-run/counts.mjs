import fs from 'node:fs';

/**
 * The number of tests a stage ran, from the report of its tool.
 * @typedef {{passed: number, failed: number, skipped: number, unsteady?: string[]}} Counts  `unsteady`: names of
 *   passed tests that needed a second attempt
 */

const NONE = { passed: 0, failed: 0, skipped: 0 };

/** Reads the report of Jest's --json. A file that cannot be loaded counts as one failed test. @returns {Counts} */
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

/** Reads Playwright's JSON report. @returns {Counts} */
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

/** Reads a JSON report with the numbers `passed`, `failed` and `skipped`. @returns {Counts} */
export function reportCounts(reportFile) {
  const { passed = 0, failed = 0, skipped = 0 } = readJson(reportFile) ?? NONE;
  return { passed, failed, skipped };
}

/** Reads the totals at the end of a TAP report of `node --test`. @returns {Counts} */
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
 * The result of a stage. A stage whose tool exits with an error has failed even if no test is reported as failed, and so
 * has a stage of tests that ran none.
 * @param {{counts?: Counts, code: number | null, isOverdue: boolean}} end  without `counts`: a check, which counts as one test
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
