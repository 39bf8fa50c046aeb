import process from 'node:process';
import { parseArgs } from 'node:util';
import { LauncherError } from '../launcher-error.mjs';
import { logStep } from '../console.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { KINDS, listOptionalStages, listStages } from '../test-run/stages.mjs';
import { TestRun } from '../test-run/test-run.mjs';

/** `npm test [-- --only unit|integration|…] [--long] [--verbose]`, or `--optional` for stages that not every machine can run */
export async function main(args) {
  const prepare = async () => {
    await ensurePackages(logStep);
    await build(logStep);
  };
  const { isOptional, ...options } = readOptions(args);
  const run = new TestRun({ ...options, prepare, listStages: isOptional ? listOptionalStages : listStages });
  onInterruption({ stop: () => run.interrupt(), kill: () => process.exit(130) });
  const hasFailed = await run.run();
  process.exit(run.isInterrupted ? 130 : hasFailed ? 1 : 0);
}

/** @throws {LauncherError} for unknown options */
export function readOptions(args) {
  const flag = { type: 'boolean' };
  const options = { only: { type: 'string' }, long: flag, optional: flag, verbose: flag };
  const usage = `Usage: npm test -- [--only ${KINDS.join('|')} | --optional] [--long] [--verbose]`;
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new LauncherError(`${error.message.split('. ')[0]}. ${usage}`);
  }
  if (values.only && !KINDS.includes(values.only))
    throw new LauncherError(`There are no tests "${values.only}". ${usage}`);
  if (values.only && values.optional)
    throw new LauncherError(`--only and --optional exclude each other. ${usage}`);
  return {
    only: values.only,
    isOptional: Boolean(values.optional),
    isLong: Boolean(values.long),
    isVerbose: Boolean(values.verbose),
  };
}
