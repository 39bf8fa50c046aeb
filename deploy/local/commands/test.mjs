import process from 'node:process';
import { parseArgs } from 'node:util';
import { LauncherError } from '../launcher-error.mjs';
import { logStep } from '../console.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { build } from '../provide/build.mjs';
import { buildK6, findK6 } from '../provide/k6.mjs';
import { provideOptionalPrograms } from '../provide/optional-programs.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { KINDS, listOptionalStages, listStages } from '../test-run/stages.mjs';
import { TestRun } from '../test-run/test-run.mjs';

/**
 * `npm test -- [--only unit|integration|… | --optional] [--long] [--verbose]`. With `--optional`, runs instead the
 * stages that not every machine can run.
 */
export async function main(args) {
  const { runsOptionalStages, ...options } = readOptions(args);
  const prepare = async () => {
    await ensurePackages(logStep);
    await build(logStep);
    if (runsOptionalStages && !findK6()) await buildK6(logStep);
    if (runsOptionalStages) await provideOptionalPrograms(logStep);
  };
  const run = new TestRun({
    ...options,
    prepare,
    listStages: runsOptionalStages ? listOptionalStages : listStages,
  });
  // The first Ctrl+C stops the run in order, the second kills it.
  onInterruption({ stop: () => run.interrupt(), kill: () => process.exit(130) });
  const hasFailed = await run.run();
  process.exit(run.isInterrupted ? 130 : hasFailed ? 1 : 0);
}

/** @throws {LauncherError} for invalid options */
export function readOptions(args) {
  const flag = { type: 'boolean' };
  const options = { only: { type: 'string' }, long: flag, optional: flag, verbose: flag };
  const usage = `Usage: npm test -- [--only ${KINDS.join('|')} | --optional] [--long] [--verbose]`;
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    // The first sentence names the option; Node then gives general advice on `--`.
    throw new LauncherError(`${error.message.split('. ')[0]}. ${usage}`);
  }
  if (values.only && !KINDS.includes(values.only))
    throw new LauncherError(`There is no kind of tests "${values.only}". ${usage}`);
  if (values.only && values.optional)
    throw new LauncherError(`--only and --optional exclude each other. ${usage}`);
  return {
    only: values.only,
    runsOptionalStages: Boolean(values.optional),
    isLong: Boolean(values.long),
    isVerbose: Boolean(values.verbose),
  };
}
