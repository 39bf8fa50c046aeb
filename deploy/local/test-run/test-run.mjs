import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { bold, dim, logStep } from '../console.mjs';
import { ensureFolder, localHome } from '../paths.mjs';
import { runToEnd, signalRunningPrograms } from '../processes/run-to-end.mjs';
import { openStores } from '../stores/stores.mjs';
import { deleteTemporaryHome, makeTemporaryHome, sweepTemporaryHomes } from '../temporary-homes.mjs';
import { findChromium, installChromium } from './chromium.mjs';
import { judgeStage } from './counts.mjs';
import { printSummary, formatStage } from './report.mjs';

/** Kinds of stages that by default use the private PostgreSQL and Redis of the run. */
const KINDS_WITH_STORES = ['integration', 'process', 'browser'];
/** Number of concurrent stages, because CI machines have two cores. Stages that mostly wait run besides them. */
const CONCURRENT_STAGES = 2;
/** Factor by which `--long`, which makes the tests do more, extends the time limits of the stages. */
const LONG_FACTOR = 6;
/** Number of lines that are printed of the output of a failed stage. */
const MAX_SHOWN_LINES = 300;
const NO_TESTS = { passed: 0, failed: 0, skipped: 0, tookMs: 0 };

/**
 * One run of `npm test`: builds the product, runs the stages with private stores, and counts the results. A stage is
 * one kind of tests of one workspace, or a check such as lint.
 */
export class TestRun {
  isInterrupted = false;
  /** @type {import('./report.mjs').StageResult[]} */
  results = [];
  #options;
  #stores;
  #startedAt = Date.now();
  #logsFolder = ensureFolder(localHome, 'logs', 'test');
  /** For the logs of the stacks that tests start. */
  #stackLogsFolder = path.join(localHome, 'logs', 'test', 'stacks');

  /**
   * @param {object} options
   * @param {boolean} [options.isLong]
   * @param {boolean} [options.isVerbose]
   * @param {() => Promise<void>} options.prepare  builds the product
   * @param {(reports: string) => import('./stages.mjs').Stage[]} options.listStages  `reports`: folder for the reports
   *   of the tools
   */
  constructor(options) {
    this.#options = options;
  }

  /** Ends the running stages. `run` then cleans up and resolves. */
  interrupt() {
    this.isInterrupted = true;
    signalRunningPrograms('SIGTERM');
  }

  /** @returns {Promise<boolean>} whether the build or a stage failed */
  async run() {
    process.stdout.write(`\n  ${bold('Thaw: tests')}\n\n`);
    const home = makeTemporaryHome();
    try {
      await sweepTemporaryHomes();
      fs.rmSync(this.#stackLogsFolder, { recursive: true, force: true });
      if (await this.#prepare()) await this.#runStages(home);
    } finally {
      await this.#stores?.close();
      await deleteTemporaryHome(home);
    }
    printSummary(this.results, Date.now() - this.#startedAt);
    return this.results.some(({ failed }) => failed > 0);
  }

  /** Builds the product. @returns whether the build succeeded; otherwise no stage runs */
  async #prepare() {
    const startedAt = Date.now();
    const result = { ...NO_TESTS, name: 'build' };
    try {
      await this.#options.prepare();
      result.passed = 1;
    } catch (error) {
      if (!(error instanceof LauncherError)) throw error;
      process.stdout.write(`\n${error.message}\n\n`);
      result.failed = 1;
    }
    this.#record({ ...result, tookMs: Date.now() - startedAt });
    return result.passed === 1;
  }

  async #runStages(home) {
    const stages = this.#options.listStages(ensureFolder(home, 'reports'));
    for (const group of groupStages(stages)) {
      if (this.isInterrupted) return;
      if (group.some(usesStores)) {
        this.#stores ??= await openStores({ home, env: {}, isDurable: false });
      }
      await this.#runGroup(group, home);
      // A test that was killed may have left a stack running. Ends such stacks, and deletes their home folders.
      await sweepTemporaryHomes(home);
    }
  }

  async #runGroup(group, home) {
    const runNextStages = async (queue) => {
      while (queue.length > 0) await this.#runStage(queue.shift(), home);
    };
    // With --verbose, stages run one after the other, because otherwise their outputs would be mixed.
    if (this.#options.isVerbose) return runNextStages([...group]);
    const waitingStages = group.filter(({ mostlyWaits }) => mostlyWaits);
    const queue = group.filter(({ mostlyWaits }) => !mostlyWaits);
    await Promise.all([
      ...waitingStages.map((stage) => this.#runStage(stage, home)),
      // Each of these loops takes the next stage from the common queue.
      ...Array.from({ length: CONCURRENT_STAGES }, () => runNextStages(queue)),
    ]);
  }

  async #runStage(stage, home) {
    if (this.isInterrupted) return;
    const { isLong, isVerbose } = this.#options;
    const startedAt = Date.now();
    const { pathVariables, missing } = await findPrograms(stage);
    if (missing) return this.#record({ ...NO_TESTS, name: stage.name, ...missing });
    const [command, ...args] = stage.command;
    const logFile = path.join(this.#logsFolder, `${stage.name.replace(/\W+/g, '-')}.log`);
    const end = await runToEnd(command, args, {
      cwd: stage.cwd,
      env: { ...this.#buildEnvironment(stage, home), ...pathVariables },
      limitMs: stage.limitMs * (isLong ? LONG_FACTOR : 1),
      logFile,
      onOutput: isVerbose ? (chunk) => process.stdout.write(chunk) : undefined,
    });
    // An interrupted stage has no result.
    if (this.isInterrupted) return;
    const result = judgeStage({ counts: stage.readCounts?.(), code: end.code, isOverdue: end.isOverdue });
    if (result.failed > 0 && !isVerbose) printOutputEnd(end.output, logFile);
    this.#record({ ...result, name: stage.name, tookMs: Date.now() - startedAt });
  }

  #buildEnvironment(stage, home) {
    return {
      ...process.env,
      ...stage.env,
      // The stacks that tests start have their home folders (data and logs) in it. It is deleted when the run ends.
      THAW_HOME: home,
      // The logs are copied to this folder, which is kept.
      THAW_STACK_LOGS: this.#stackLogsFolder,
      ...(usesStores(stage) && {
        DATABASE_URL: this.#stores.databaseUrl,
        REDIS_URL: this.#stores.redisUrl,
      }),
      ...(this.#options.isLong && { THAW_TEST_LONG: '1' }),
    };
  }

  #record(result) {
    this.results.push(result);
    process.stdout.write(`${formatStage(result)}\n`);
  }
}

/** Groups consecutive stages that may run at the same time; every other stage is a group of one. */
function groupStages(stages) {
  const groups = [];
  for (const stage of stages) {
    const previous = groups.at(-1);
    if (stage.sharesMachine && previous?.[0].sharesMachine) previous.push(stage);
    else groups.push([stage]);
  }
  return groups;
}

/**
 * Finds the programs that a stage needs and not every machine has.
 * @returns {Promise<{pathVariables?: Record<string, string>, missing?: Partial<import('./report.mjs').StageResult>}>}
 *   `pathVariables`: environment variables with the paths of the programs; `missing`: set if a program is missing, the
 *   result of the stage, which cannot run
 */
async function findPrograms({ needsChromium, needs }) {
  const pathVariables = {};
  if (needsChromium) {
    const chromium = findChromium() ?? (isCi() ? await installChromium(logStep) : undefined);
    if (!chromium) return { missing: describeMissingChromium() };
    pathVariables.CHROMIUM_PATH = chromium;
  }
  if (needs) {
    const found = needs.find();
    if (!found) return { missing: { skipReason: needs.reasonToSkip } };
    Object.assign(pathVariables, found);
  }
  return { pathVariables };
}

const describeMissingChromium = () =>
  isCi()
    ? { failed: 1, problem: 'Chromium is required when CI=true and was not found' }
    : { skipReason: 'no Chromium was found: install chromium or set CHROMIUM_PATH' };

const usesStores = ({ kind, needsStores }) => needsStores ?? KINDS_WITH_STORES.includes(kind);

const isCi = () => ['true', '1'].includes(process.env.CI ?? '');

/** Prints the last lines of the output of a failed stage. */
function printOutputEnd(output, logFile) {
  const lines = output.trimEnd().split('\n');
  if (lines.length > MAX_SHOWN_LINES)
    process.stdout.write(
      dim(`… the last ${MAX_SHOWN_LINES} of ${lines.length} lines; all of them: ${logFile}\n`),
    );
  process.stdout.write(`\n${lines.slice(-MAX_SHOWN_LINES).join('\n')}\n\n`);
}
