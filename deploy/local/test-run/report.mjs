import process from 'node:process';
import { bold, dim, green, red, yellow } from '../console.mjs';

// Widths of the columns of the summary, in characters.
const NAME_WIDTH = 18;
const TIME_WIDTH = 8;

/**
 * The result of one stage of `npm test`. A stage runs one kind of tests of one workspace, or a check such as lint.
 * @typedef {object} StageResult
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {number} tookMs
 * @property {string} [problem]   why the stage failed without a failed test, such as "took too long and was ended"
 * @property {string} [skipReason]  why the stage did not run, such as "no Chromium was found"
 * @property {import('./counts.mjs').FlakyTest[]} [flaky]  tests that passed only when they were retried
 */

/** Formats the result of a stage as one line. @param {StageResult} result */
export function formatStage({ name, passed, failed, skipped, tookMs, problem, skipReason }) {
  const label = name.padEnd(NAME_WIDTH);
  if (skipReason) {
    const noTime = ' '.repeat(TIME_WIDTH);
    return `  ${yellow('–')} ${label} ${noTime}  ${yellow(`SKIPPED: ${skipReason}`)}`;
  }
  const mark = failed > 0 || problem ? red('✗') : green('✓');
  const time = dim(`${(tookMs / 1000).toFixed(1)} s`.padStart(TIME_WIDTH));
  const counts = [];
  if (passed > 0) counts.push(`${passed} passed`);
  if (failed > 0) counts.push(red(`${failed} failed`));
  if (skipped > 0) counts.push(yellow(`${skipped} skipped`));
  const note = problem ? ` (${problem})` : '';
  return `  ${mark} ${label} ${time}  ${counts.join(', ')}${note}`;
}

/**
 * Prints the table of all stages, the flaky tests, and as the last line "N passed, N failed". The last line has no
 * colours, so that scripts can parse it.
 * @param {StageResult[]} results
 * @param {number} tookMs  duration of the whole run
 */
export function printSummary(results, tookMs) {
  const sumBy = (key) => results.reduce((sum, result) => sum + result[key], 0);
  printLine(`\n  ${bold('Summary')} ${dim(`${Math.round(tookMs / 1000)} s`)}\n`);
  for (const result of results) printLine(formatStage(result));
  printFlakyTests(results.flatMap(({ flaky }) => flaky ?? []));
  printLine(`\n${sumBy('passed')} passed, ${sumBy('failed')} failed`);
}

/** @param {import('./counts.mjs').FlakyTest[]} tests */
function printFlakyTests(tests) {
  if (tests.length === 0) return;
  printLine(`\n  ${yellow('Flaky: passed only when retried')}`);
  for (const { name, reason } of tests) {
    const indentedReason = reason.replace(/^/gm, '      ');
    printLine(`  ${yellow('–')} ${name}\n${dim(indentedReason)}`);
  }
}

function printLine(line) {
  process.stdout.write(`${line}\n`);
}
