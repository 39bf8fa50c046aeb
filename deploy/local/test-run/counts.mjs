import fs from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/**
 * How many tests of one stage of `npm test` passed, failed and were skipped, as the tool of the stage reports. A stage
 * is one kind of tests of one workspace, or a check such as lint.
 * @typedef {{passed: number, failed: number, skipped: number, flaky?: FlakyTest[]}} Counts
 */

/**
 * A test that failed at first and passed when it was retried.
 * @typedef {{name: string, reason: string}} FlakyTest  `reason`: first lines of the error of the first failure
 */

const MAX_REASON_LINES = 8;

/** The counts of a stage that ran no tests, or whose report is missing; `judgeStage` adds a failure to them. */
const NO_TESTS = { passed: 0, failed: 0, skipped: 0 };

/** Reads the report of Jest's --json. A test file that cannot be loaded counts as one failed test. @returns {Counts} */
export function readJestCounts(reportFile) {
  const report = readJson(reportFile);
  if (!report) return NO_TESTS;
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = report;
  const flaky = (report.testResults ?? [])
    .flatMap(({ assertionResults }) => assertionResults ?? [])
    .filter(({ status, invocations }) => status === 'passed' && invocations > 1)
    .map(({ fullName, retryReasons }) => describeFlaky(fullName, retryReasons?.[0]));
  const counts = {
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    skipped: numPendingTests + numTodoTests,
  };
  return addFlaky(counts, flaky);
}

/** Reads Playwright's JSON report. @returns {Counts} */
export function readPlaywrightCounts(reportFile) {
  const report = readJson(reportFile);
  if (!report?.stats) return NO_TESTS;
  const { expected, unexpected, flaky: flakyCount, skipped } = report.stats;
  const flaky = (report.suites ?? [])
    .flatMap(collectSpecs)
    .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
    .map(({ title, tests }) => describeFlaky(title, findFirstError(tests)));
  return addFlaky({ passed: expected + flakyCount, failed: unexpected, skipped }, flaky);
}

const collectSpecs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(collectSpecs)];

const findFirstError = (tests) =>
  tests.flatMap(({ results }) => results ?? []).find(({ error }) => error)?.error.message;

/** @returns {FlakyTest} */
const describeFlaky = (name, failure = 'no reason was reported') => ({
  name,
  reason: stripVTControlCharacters(failure).split('\n').slice(0, MAX_REASON_LINES).join('\n'),
});

const addFlaky = (counts, flaky) => (flaky.length > 0 ? { ...counts, flaky } : counts);

/** Reads the JSON report of the chaos test: the numbers `passed`, `failed` and `skipped`. @returns {Counts} */
export function readChaosCounts(reportFile) {
  const { passed = 0, failed = 0, skipped = 0 } = readJson(reportFile) ?? NO_TESTS;
  return { passed, failed, skipped };
}

/** Reads the totals at the end of a TAP report of `node --test`. @returns {Counts} */
export function readTapCounts(reportFile) {
  const report = fs.existsSync(reportFile) ? fs.readFileSync(reportFile, 'utf8') : '';
  const readTotal = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? 0);
  return {
    passed: readTotal('pass'),
    failed: readTotal('fail') + readTotal('cancelled'),
    skipped: readTotal('skipped') + readTotal('todo'),
  };
}

/**
 * Adds a failure to the counts if a stage took too long, if its tool exited with an error although no test failed, or
 * if it ran no tests.
 * @param {{counts?: Counts, code: number | null, isOverdue: boolean}} end  `counts`: undefined for a check, which
 *   counts as one test; `code`: exit code of the tool
 * @returns {Counts & {problem?: string}} `problem`: why the stage failed, if not because of a failed test
 */
export function judgeStage({ counts, code, isOverdue }) {
  const isCheck = counts === undefined;
  const total = isCheck ? { ...NO_TESTS, passed: code === 0 ? 1 : 0 } : counts;
  if (isOverdue) return addFailure(total, 'took too long and was ended');
  if (code !== 0 && total.failed === 0) {
    // Every failed check exits with an error, so for a check the code adds nothing.
    return addFailure(total, isCheck ? undefined : `its tool ended with exit code ${code}`);
  }
  if (total.passed + total.failed === 0) return addFailure(total, 'ran no tests');
  return total;
}

const addFailure = (counts, problem) => ({ ...counts, failed: counts.failed + 1, problem });

function readJson(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}
