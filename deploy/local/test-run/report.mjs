import process from 'node:process';
import { bold, dim, green, red, yellow } from '../console.mjs';

/**
 * @typedef {object} StageResult
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {number} tookMs
 * @property {string} [problem]   a problem other than failed tests
 * @property {string} [whySkipped]
 * @property {string[]} [unsteady]  names of tests that passed only at a further attempt
 */

/** Formats the result of a stage as one line. @param {StageResult} result */
export function stageLine({ name, passed, failed, skipped, tookMs, problem, whySkipped }) {
  const mark = whySkipped ? yellow('–') : failed > 0 ? red('✗') : green('✓');
  const parts = [
    passed && `${passed} passed`,
    failed && red(`${failed} failed`),
    skipped && yellow(`${skipped} skipped`),
  ];
  const counts = whySkipped ? yellow(`SKIPPED: ${whySkipped}`) : parts.filter(Boolean).join(', ');
  const time = whySkipped ? '' : dim(`${(tookMs / 1000).toFixed(1)} s`.padStart(8));
  return `  ${mark} ${name.padEnd(18)} ${time.padStart(8)}  ${counts}${problem ? ` (${problem})` : ''}`;
}

/** Prints the table of all stages, and as the last line, without colours, "N passed, N failed". @param {StageResult[]} results */
export function printSummary(results, tookMs) {
  const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
  process.stdout.write(`\n  ${bold('Summary')} ${dim(`${Math.round(tookMs / 1000)} s`)}\n\n`);
  results.forEach((result) => process.stdout.write(`${stageLine(result)}\n`));
  const unsteady = results.flatMap((result) => result.unsteady ?? []);
  if (unsteady.length > 0) process.stdout.write(`\n  ${yellow('Passed only when tried again')}\n`);
  unsteady.forEach((name) => process.stdout.write(`  ${yellow('–')} ${name}\n`));
  process.stdout.write(`\n${total('passed')} passed, ${total('failed')} failed\n`);
}
