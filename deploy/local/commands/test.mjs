import process from 'node:process';
import { parseArgs } from 'node:util';
import { LauncherError } from '../launcher-error.mjs';
import { logStep } from '../console.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { listOptionalStages } from '../test-run/optional-stages.mjs';
import { selectStages } from '../test-run/select-stages.mjs';
import { listStages } from '../test-run/stages.mjs';
import { TestRun } from '../test-run/test-run.mjs';

/** As in a shell: 128 plus 2, the number of SIGINT. */
const INTERRUPTED_EXIT_CODE = 130;

const USAGE = 'Usage: npm test -- [--optional] [--only <kind or stage>] [--long] [--verbose]';

/** Passed as the folder of the reports when the stages are only listed, not run. */
const NO_REPORTS = '';

/**
 * `npm test -- [--optional] [--only <kind or stage>] [--long] [--verbose]`. A stage is one kind of tests of one
 * workspace. `--optional` selects, instead of the usual stages, those that need programs which not every machine has.
 * `--long` includes the stages that take long; `--verbose` shows all output.
 */
export async function main(args) {
  const { listChosenStages, ...options } = readOptions(args);
  const prepare = async () => {
    await ensurePackages(logStep);
    await build(logStep);
    // Several stages may need the same program, which is provided once.
    const providers = new Set(listChosenStages(NO_REPORTS).map(({ needs }) => needs?.provide));
    for (const provide of providers) await provide?.(logStep);
  };
  const run = new TestRun({ ...options, prepare, listStages: listChosenStages });
  // The first Ctrl+C stops the run gracefully, the second kills it.
  onInterruption({ stop: () => run.interrupt(), kill: () => process.exit(INTERRUPTED_EXIT_CODE) });
  const hasFailed = await run.run();
  if (run.isInterrupted) process.exit(INTERRUPTED_EXIT_CODE);
  process.exit(hasFailed ? 1 : 0);
}

/**
 * Reads the options of the command.
 * @returns {{listChosenStages: (reports: string) => import('../test-run/stages.mjs').Stage[], isLong: boolean,
 *   isVerbose: boolean}}
 * @throws {LauncherError} for invalid options, and if they select no stage
 */
export function readOptions(args) {
  const flag = { type: 'boolean' };
  const options = { only: { type: 'string' }, long: flag, optional: flag, verbose: flag };
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    // Keep only the first sentence, which names the option; the rest of Node's message is advice on `--`.
    throw new LauncherError(`${error.message.split('. ')[0]}. ${USAGE}`);
  }
  const isLong = Boolean(values.long);
  const listAllStages = values.optional ? listOptionalStages : listStages;
  const listChosenStages = (reports) => selectStages(listAllStages(reports), { only: values.only, isLong });
  // Throws if the options select no stage.
  listChosenStages(NO_REPORTS);
  return { listChosenStages, isLong, isVerbose: Boolean(values.verbose) };
}
