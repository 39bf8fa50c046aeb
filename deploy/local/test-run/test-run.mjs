import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { LauncherError } from '../launcher-error.mjs';
import { bold, dim, logStep } from '../console.mjs';
import { ensureFolder, localHome } from '../paths.mjs';
import { runToEnd, signalRunning } from '../processes/run-to-end.mjs';
import { openStores } from '../stores/stores.mjs';
import { endTemporaryHome, makeTemporaryHome, sweepTemporaryHomes } from '../temporary-homes.mjs';
import { findChromium, installChromium } from './chromium.mjs';
import { judgeStage } from './counts.mjs';
import { printSummary, formatStage } from './report.mjs';

/** Kinds of stages that by default run on the private PostgreSQL and Redis of the run. */
const KINDS_ON_STORES = ['integration', 'process', 'browser'];
/** Number of stages that run concurrently: CI machines have two cores. */
const CONCURRENT_STAGES = 2;
/** Factor by which `--long` extends the time limits of the stages. */
const LONG_FACTOR = 6;
/** Lines of a failed stage's output that are printed. */
const SHOWN_LINES = 300;
const NOTHING_RUN = { passed: 0, failed: 0, skipped: 0, tookMs: 0 };

/** One run of `npm test`: prepares, runs stages on private stores, and counts the results. */
export class TestRun {
  isInterrupted = false;
  /** @type {import('./report.mjs').StageResult[]} */
  results = [];
  #options;
  #stores;
  #startedAt = Date.now();
  #logsFolder = ensureFolder(localHome, 'logs', 'test');
  #stackLogsFolder = path.join(localHome, 'logs', 'test', 'stacks');

  /**
   * @param {{isLong?: boolean, isVerbose?: boolean, prepare: () => Promise<void>,
   *   listStages: (reports: string) => import('./stages.mjs').Stage[]}} options
   */
  constructor(options) {
    this.#options = options;
  }

  /** Ends the running stages; the run then cleans up and resolves. */
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
      fs.rmSync(this.#stackLogsFolder, { recursive: true, force: true });
      if (await this.#prepare()) await this.#runStages(home);
    } finally {
      await this.#stores?.close();
      await endTemporaryHome(home);
    }
    printSummary(this.results, Date.now() - this.#startedAt);
    return this.results.some(({ failed }) => failed > 0);
  }

  /** Builds the product. @returns whether the build succeeded; without it no stage runs */
  async #prepare() {
    const startedAt = Date.now();
    const result = { name: 'build', passed: 0, failed: 0, skipped: 0 };
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
      if (group.some(runsOnStores)) {
        this.#stores ??= await openStores({ home, env: {}, isDurable: false });
      }
      await this.#runGroup(group, home);
      // A test that was killed may have left a stack running.
      await sweepTemporaryHomes(home);
    }
  }

  async #runGroup(group, home) {
    // With --verbose stages run one after the other, because their outputs would be mixed.
    const { isVerbose } = this.#options;
    const waiting = isVerbose ? [] : group.filter(({ mostlyWaits }) => mostlyWaits);
    // The concurrent loops share this iterator, so each stage runs once.
    const others = group.filter((stage) => !waiting.includes(stage)).values();
    const runRemaining = async () => {
      for (const stage of others) await this.#runStage(stage, home);
    };
    await Promise.all([
      ...waiting.map((stage) => this.#runStage(stage, home)),
      ...Array.from({ length: isVerbose ? 1 : CONCURRENT_STAGES }, runRemaining),
    ]);
  }

  async #runStage(stage, home) {
    if (this.isInterrupted) return;
    const { isLong, isVerbose } = this.#options;
    const startedAt = Date.now();
    const chromium = stage.needsChromium && (await this.#findOrInstallChromium());
    if (stage.needsChromium && !chromium) return this.#recordMissingChromium(stage);
    const foundProgram = stage.needs?.find();
    if (stage.needs && !foundProgram) return this.#recordSkipped(stage, stage.needs.reasonToSkip);
    const [command, ...args] = stage.command;
    const logFile = path.join(this.#logsFolder, `${stage.name.replace(/\W+/g, '-')}.log`);
    const exit = await runToEnd(command, args, {
      cwd: stage.cwd,
      env: { ...this.#buildEnvironment(stage, home, chromium), ...foundProgram },
      limitMs: stage.limitMs * (isLong ? LONG_FACTOR : 1),
      logFile,
      onOutput: isVerbose ? (chunk) => process.stdout.write(chunk) : undefined,
    });
    if (this.isInterrupted) return;
    const result = judgeStage({ counts: stage.counts?.(), code: exit.code, isOverdue: exit.isOverdue });
    if (result.failed > 0 && !isVerbose) printOutputEnd(exit.output, logFile);
    this.#record({ ...result, name: stage.name, tookMs: Date.now() - startedAt });
  }

  async #findOrInstallChromium() {
    return findChromium() ?? (isCi() ? await installChromium(logStep) : undefined);
  }

  #recordMissingChromium({ name }) {
    if (isCi())
      return this.#record({
        ...NOTHING_RUN,
        name,
        failed: 1,
        problem: 'Chromium is required when CI=true and was not found',
      });
    return this.#recordSkipped({ name }, 'no Chromium was found: install chromium or set CHROMIUM_PATH');
  }

  #recordSkipped({ name }, whySkipped) {
    this.#record({ ...NOTHING_RUN, name, whySkipped });
  }

  #buildEnvironment(stage, home, chromium) {
    return {
      ...process.env,
      ...stage.env,
      // Parent folder for the homes of stacks that tests start; deleted when the run ends.
      THAW_HOME: home,
      THAW_STACK_LOGS: this.#stackLogsFolder,
      ...(runsOnStores(stage) && {
        DATABASE_URL: this.#stores.databaseUrl,
        REDIS_URL: this.#stores.redisUrl,
      }),
      ...(chromium && { CHROMIUM_PATH: chromium }),
      ...(this.#options.isLong && { THAW_TEST_LONG: '1' }),
    };
  }

  #record(result) {
    this.results.push(result);
    process.stdout.write(`${formatStage(result)}\n`);
  }
}

/** Groups consecutive stages that share the machine; every other stage is a group of one. */
function groupStages(stages) {
  const groups = [];
  for (const stage of stages) {
    const previous = groups.at(-1);
    if (stage.sharesMachine && previous?.[0].sharesMachine) previous.push(stage);
    else groups.push([stage]);
  }
  return groups;
}

const runsOnStores = ({ kind, needsStores = KINDS_ON_STORES.includes(kind) }) => needsStores;

const isCi = () => ['true', '1'].includes(process.env.CI ?? '');

function printOutputEnd(output, logFile) {
  const lines = output.trimEnd().split('\n');
  if (lines.length > SHOWN_LINES)
    process.stdout.write(
      dim(`… the last ${SHOWN_LINES} of ${lines.length} lines; all of them: ${logFile}\n`),
    );
  process.stdout.write(`\n${lines.slice(-SHOWN_LINES).join('\n')}\n\n`);
}
