import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Complaint } from '../complaint.mjs';
import { bold, dim, say } from '../console.mjs';
import { folder, localHome } from '../places.mjs';
import { onInterruption } from '../processes/interruption.mjs';
import { runToEnd, signalRunning } from '../processes/run-to-end.mjs';
import { build } from '../provide/build.mjs';
import { ensurePackages } from '../provide/node-packages.mjs';
import { openStores } from '../stores/stores.mjs';
import { endTemporaryHome, makeTemporaryHome, sweepTemporaryHomes } from '../temporary-homes.mjs';
import { findChromium, installChromium } from '../test-run/chromium.mjs';
import { verdict } from '../test-run/counts.mjs';
import { printSummary, stageLine } from '../test-run/report.mjs';
import { KINDS, stages } from '../test-run/stages.mjs';

const NEEDS_STORES = ['integration', 'process', 'browser'];
const LONG_FACTOR = 6;
const SHOWN_LINES = 300;

/** `npm test [-- --only unit|integration|…] [--long] [--verbose]` */
export async function main(args) {
  const run = new TestRun(readOptions(args));
  onInterruption({ stop: () => run.interrupt(), kill: () => process.exit(130) });
  const failed = await run.run();
  process.exit(run.isInterrupted ? 130 : failed ? 1 : 0);
}

/** @throws {Complaint} for options it does not know */
export function readOptions(args) {
  const options = { only: { type: 'string' }, long: { type: 'boolean' }, verbose: { type: 'boolean' } };
  const usage = `Usage: npm test -- [--only ${KINDS.join('|')}] [--long] [--verbose]`;
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new Complaint(`${error.message.split('. ')[0]}. ${usage}`);
  }
  if (values.only && !KINDS.includes(values.only))
    throw new Complaint(`There are no tests "${values.only}". ${usage}`);
  return { only: values.only, isLong: Boolean(values.long), isVerbose: Boolean(values.verbose) };
}

class TestRun {
  isInterrupted = false;
  #options;
  #stores;
  #results = [];
  #startedAt = Date.now();
  #logs = folder(localHome, 'logs', 'test');

  constructor(options) {
    this.#options = options;
  }

  interrupt() {
    this.isInterrupted = true;
    signalRunning('SIGTERM');
  }

  /** @returns {Promise<boolean>} whether anything failed */
  async run() {
    process.stdout.write(`\n  ${bold('Thaw: tests')}\n\n`);
    const home = makeTemporaryHome();
    try {
      await sweepTemporaryHomes();
      if (await this.#prepare()) await this.#runStages(home);
    } finally {
      await this.#stores?.close();
      await endTemporaryHome(home);
    }
    printSummary(this.#results, Date.now() - this.#startedAt);
    return this.#results.some(({ failed }) => failed > 0);
  }

  /** Without a build nothing else is worth running. */
  async #prepare() {
    const startedAt = Date.now();
    const result = { name: 'build', passed: 0, failed: 0, skipped: 0 };
    try {
      await ensurePackages(say);
      await build(say);
      result.passed = 1;
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      process.stdout.write(`\n${error.message}\n\n`);
      result.failed = 1;
    }
    this.#note({ ...result, tookMs: Date.now() - startedAt });
    return result.passed === 1;
  }

  async #runStages(home) {
    const { only } = this.#options;
    const chosen = stages(folder(home, 'reports')).filter(({ kind }) => !only || kind === only);
    for (const stage of chosen) {
      if (this.isInterrupted) return;
      if (NEEDS_STORES.includes(stage.kind)) {
        this.#stores ??= await openStores({ home, env: {}, isDurable: false });
      }
      await this.#runStage(stage, home);
      // A test that was ended may have left a stack of its own behind.
      await sweepTemporaryHomes(home);
    }
  }

  async #runStage(stage, home) {
    const { isLong, isVerbose } = this.#options;
    const startedAt = Date.now();
    const chromium = stage.needsChromium && (await this.#chromium());
    if (stage.needsChromium && !chromium) return this.#noteWithoutChromium(stage);
    const [command, ...args] = stage.command;
    const logFile = path.join(this.#logs, `${stage.name.replace(/\W+/g, '-')}.log`);
    const end = await runToEnd(command, args, {
      cwd: stage.cwd,
      env: this.#environment(stage, home, chromium),
      limitMs: stage.limitMs * (isLong ? LONG_FACTOR : 1),
      logFile,
      onOutput: isVerbose ? (piece) => process.stdout.write(piece) : undefined,
    });
    if (this.isInterrupted) return;
    const result = verdict({ counts: stage.counts?.(), code: end.code, isOverdue: end.isOverdue });
    if (result.failed > 0 && !isVerbose) printEnd(end.output, logFile);
    this.#note({ ...result, name: stage.name, tookMs: Date.now() - startedAt });
  }

  async #chromium() {
    return findChromium() ?? (isCi() ? await installChromium(say) : undefined);
  }

  #noteWithoutChromium({ name }) {
    const result = { name, passed: 0, failed: 0, skipped: 0, tookMs: 0 };
    if (isCi())
      return this.#note({
        ...result,
        failed: 1,
        problem: 'Chromium is required when CI=true and was not found',
      });
    const whySkipped = 'no Chromium was found; install chromium or give CHROMIUM_PATH';
    return this.#note({ ...result, whySkipped });
  }

  #environment(stage, home, chromium) {
    return {
      ...process.env,
      ...stage.env,
      // Where stacks that tests start keep their data; it goes when the run ends.
      THAW_HOME: home,
      ...(this.#stores && { DATABASE_URL: this.#stores.databaseUrl, REDIS_URL: this.#stores.redisUrl }),
      ...(chromium && { CHROMIUM_PATH: chromium }),
      ...(this.#options.isLong && { THAW_TEST_LONG: '1' }),
    };
  }

  #note(result) {
    this.#results.push(result);
    process.stdout.write(`${stageLine(result)}\n`);
  }
}

const isCi = () => ['true', '1'].includes(process.env.CI ?? '');

function printEnd(output, logFile) {
  const lines = output.trimEnd().split('\n');
  if (lines.length > SHOWN_LINES) process.stdout.write(dim(`… all ${lines.length} lines: ${logFile}\n`));
  process.stdout.write(`\n${lines.slice(-SHOWN_LINES).join('\n')}\n\n`);
}
