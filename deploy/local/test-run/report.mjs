import process from 'node:process';
import { bold, dim, green, red, yellow } from '../console.mjs';

// Widths of the columns of the summary, in characters.
const NAME_WIDTH = 18;
const TIME_WIDTH = 8;

/**
 * The result of a stage: of one kind of tests of one workspace, or of a check such as lint.
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
  const counts = [
    passed && `${passed} passed`,
    failed && red(`${failed} failed`),
    skipped && yellow(`${skipped} skipped`),
  ];
  const note = problem ? ` (${problem})` : '';
  return `  ${mark} ${label} ${time}  ${counts.filter(Boolean).join(', ')}${note}`;
}

/**
 * Prints the table of all stages, the flaky tests, and as the last line "N passed, N failed". The last line has no
 * colours, so that scripts can parse it.
 * @param {StageResult[]} results
 * @param {number} tookMs  duration of the whole run
 */
export function printSummary(results, tookMs) {
  const sumBy = (key) => results.reduce((sum, result) => sum + result[key], 0);
  process.stdout.write(`\n  ${bold('Summary')} ${dim(`${Math.round(tookMs / 1000)} s`)}\n\n`);
  results.forEach((result) => process.stdout.write(`${formatStage(result)}\n`));
  const flaky = results.flatMap((result) => result.flaky ?? []);
  if (flaky.length > 0) process.stdout.write(`\n  ${yellow('Flaky: passed only when retried')}\n`);
  flaky.forEach(({ name, reason }) =>
    process.stdout.write(`  ${yellow('–')} ${name}\n${dim(reason.replace(/^/gm, '      '))}\n`),
  );
  process.stdout.write(`\n${sumBy('passed')} passed, ${sumBy('failed')} failed\n`);
}
