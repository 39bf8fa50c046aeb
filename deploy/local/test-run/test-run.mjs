import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Complaint } from '../complaint.mjs';
import { bold, dim, say } from '../console.mjs';
import { folder, localHome } from '../places.mjs';
import { runToEnd, signalRunning } from '../processes/run-to-end.mjs';
import { openStores } from '../stores/stores.mjs';
import { endTemporaryHome, makeTemporaryHome, sweepTemporaryHomes } from '../temporary-homes.mjs';
import { findChromium, installChromium } from './chromium.mjs';
import { verdict } from './counts.mjs';
import { printSummary, stageLine } from './report.mjs';

const NEEDS_STORES = ['integration', 'process', 'browser'];
/** Stages that run first, two at once: each is a single process without timing assertions. */
const RUN_IN_PAIRS = ['static', 'unit'];
const LONG_FACTOR = 6;
const SHOWN_LINES = 300;
const NOTHING_RUN = { passed: 0, failed: 0, skipped: 0, tookMs: 0 };

/** One run of `npm test`: prepares, runs the selected stages on private stores, and counts the results. */
export class TestRun {
  isInterrupted = false;
  /** @type {import('./report.mjs').StageResult[]} */
  results = [];
  #options;
  #stores;
  #startedAt = Date.now();
  #logs = folder(localHome, 'logs', 'test');
  #stackLogs = path.join(localHome, 'logs', 'test', 'stacks');

  /**
   * @param {{only?: string, isLong?: boolean, isVerbose?: boolean, prepare: () => Promise<void>,
   *   stages: (reports: string) => import('./stages.mjs').Stage[]}} options
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
      fs.rmSync(this.#stackLogs, { recursive: true, force: true });
      if (await this.#prepare()) await this.#runStages(home);
    } finally {
      await this.#stores?.close();
      await endTemporaryHome(home);
    }
    printSummary(this.results, Date.now() - this.#startedAt);
    return this.results.some(({ failed }) => failed > 0);
  }

  /** Builds. @returns whether that succeeded; no stage runs without a build */
  async #prepare() {
    const startedAt = Date.now();
    const result = { name: 'build', passed: 0, failed: 0, skipped: 0 };
    try {
      await this.#options.prepare();
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
    const { only, isLong } = this.#options;
    const chosen = this.#options
      .stages(folder(home, 'reports'))
      .filter(({ kind, isLongOnly }) => (!only || kind === only) && (isLong || !isLongOnly));
    const isQuick = ({ kind }) => RUN_IN_PAIRS.includes(kind);
    const quick = chosen.filter(isQuick).values();
    const runQuick = async () => {
      for (const stage of quick) await this.#runStage(stage, home);
    };
    await Promise.all([runQuick(), runQuick()]);
    for (const stage of chosen.filter((stage) => !isQuick(stage))) {
      if (this.isInterrupted) return;
      if (NEEDS_STORES.includes(stage.kind)) {
        this.#stores ??= await openStores({ home, env: {}, isDurable: false });
      }
      await this.#runStage(stage, home);
      // A test that was killed may have left a stack running.
      await sweepTemporaryHomes(home);
    }
  }

  async #runStage(stage, home) {
    if (this.isInterrupted) return;
    const { isLong, isVerbose } = this.#options;
    const startedAt = Date.now();
    const chromium = stage.needsChromium && (await this.#chromium());
    if (stage.needsChromium && !chromium) return this.#noteWithoutChromium(stage);
    const found = stage.needs?.find();
    if (stage.needs && !found) return this.#noteSkipped(stage, stage.needs.orSkip);
    const [command, ...args] = stage.command;
    const logFile = path.join(this.#logs, `${stage.name.replace(/\W+/g, '-')}.log`);
    const end = await runToEnd(command, args, {
      cwd: stage.cwd,
      env: { ...this.#environment(stage, home, chromium), ...found },
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
    if (isCi())
      return this.#note({
        ...NOTHING_RUN,
        name,
        failed: 1,
        problem: 'Chromium is required when CI=true and was not found',
      });
    return this.#noteSkipped({ name }, 'no Chromium was found; install chromium or give CHROMIUM_PATH');
  }

  #noteSkipped({ name }, whySkipped) {
    this.#note({ ...NOTHING_RUN, name, whySkipped });
  }

  #environment(stage, home, chromium) {
    return {
      ...process.env,
      ...stage.env,
      // Parent folder for the homes of stacks that tests start; deleted when the run ends.
      THAW_HOME: home,
      THAW_STACK_LOGS: this.#stackLogs,
      ...(this.#stores && { DATABASE_URL: this.#stores.databaseUrl, REDIS_URL: this.#stores.redisUrl }),
      ...(chromium && { CHROMIUM_PATH: chromium }),
      ...(this.#options.isLong && { THAW_TEST_LONG: '1' }),
    };
  }

  #note(result) {
    this.results.push(result);
    process.stdout.write(`${stageLine(result)}\n`);
  }
}

const isCi = () => ['true', '1'].includes(process.env.CI ?? '');

function printEnd(output, logFile) {
  const lines = output.trimEnd().split('\n');
  if (lines.length > SHOWN_LINES) process.stdout.write(dim(`… all ${lines.length} lines: ${logFile}\n`));
  process.stdout.write(`\n${lines.slice(-SHOWN_LINES).join('\n')}\n\n`);
}
