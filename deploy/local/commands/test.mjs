import process from 'node:process';
import { parseArgs } from 'node:util';
import { Complaint } from '../complaint.mjs';
import { say } from '../console.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { KINDS, optionalStages, stages } from '../test-run/stages.mjs';
import { TestRun } from '../test-run/test-run.mjs';

/** `npm test [-- --only unit|integration|…] [--long] [--verbose]`; with --optional what not every machine can run */
export async function main(args) {
  const prepare = async () => {
    await ensurePackages(say);
    await build(say);
  };
  const { isOptional, ...options } = readOptions(args);
  const run = new TestRun({ ...options, prepare, stages: isOptional ? optionalStages : stages });
  onInterruption({ stop: () => run.interrupt(), kill: () => process.exit(130) });
  const hasFailed = await run.run();
  process.exit(run.isInterrupted ? 130 : hasFailed ? 1 : 0);
}

/** @throws {Complaint} for unknown options */
export function readOptions(args) {
  const flag = { type: 'boolean' };
  const options = { only: { type: 'string' }, long: flag, optional: flag, verbose: flag };
  const usage = `Usage: npm test -- [--only ${KINDS.join('|')} | --optional] [--long] [--verbose]`;
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new Complaint(`${error.message.split('. ')[0]}. ${usage}`);
  }
  if (values.only && !KINDS.includes(values.only))
    throw new Complaint(`There are no tests "${values.only}". ${usage}`);
  if (values.only && values.optional)
    throw new Complaint(`--only and --optional exclude each other. ${usage}`);
  return {
    only: values.only,
    isOptional: Boolean(values.optional),
    isLong: Boolean(values.long),
    isVerbose: Boolean(values.verbose),
  };
}
