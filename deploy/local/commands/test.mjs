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

const USAGE = 'Usage: npm test -- [--optional] [--only <kind or stage>] [--long] [--verbose]';

/**
 * `npm test -- [--optional] [--only <kind or stage>] [--long] [--verbose]`. With `--optional`, runs instead the stages
 * that not every machine can run.
 */
export async function main(args) {
  const { listChosenStages, ...options } = readOptions(args);
  const prepare = async () => {
    await ensurePackages(logStep);
    await build(logStep);
    const provides = listChosenStages('').map(({ needs }) => needs?.provide);
    for (const provide of new Set(provides)) await provide?.(logStep);
  };
  const run = new TestRun({ ...options, prepare, listStages: listChosenStages });
  // The first Ctrl+C stops the run in order, the second kills it.
  onInterruption({ stop: () => run.interrupt(), kill: () => process.exit(130) });
  const hasFailed = await run.run();
  process.exit(run.isInterrupted ? 130 : hasFailed ? 1 : 0);
}

/** @throws {LauncherError} for invalid options, and if they select no stage */
export function readOptions(args) {
  const flag = { type: 'boolean' };
  const options = { only: { type: 'string' }, long: flag, optional: flag, verbose: flag };
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    // The first sentence names the option; Node then gives general advice on `--`.
    throw new LauncherError(`${error.message.split('. ')[0]}. ${USAGE}`);
  }
  const isLong = Boolean(values.long);
  const list = values.optional ? listOptionalStages : listStages;
  const listChosenStages = (reports) => selectStages(list(reports), { only: values.only, isLong });
  listChosenStages('');
  return { listChosenStages, isLong, isVerbose: Boolean(values.verbose) };
}
