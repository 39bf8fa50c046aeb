import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { resolveInRepository } from '../paths.mjs';
import { createNxEnvironment, createNxCommand } from '../provide/build.mjs';
import { getNpmCommand, getPackageCommand } from '../provide/node-packages.mjs';
import { readJestCounts, readPlaywrightCounts, readChaosCounts, readTapCounts } from './counts.mjs';
import { createNodeTestCommand } from './node-test.mjs';

const MINUTE_MS = 60_000;
/** Tests in deploy/ that optional stages run. */
const OPTIONAL_TESTS = /(prometheus|helm|tls-product)\.test\.mjs$/;
/** Arbitrary, but fixed: every run injects the same faults, so a new failure points to the change under test. */
const CHAOS_SEED = '2133';

/**
 * One stage of `npm test`: one kind of tests of one workspace, or a check such as lint.
 * @typedef {object} Stage
 * @property {string} name  `--only` selects stages by their name or kind
 * @property {'static' | 'unit' | 'integration' | 'process' | 'launcher' | 'browser' | 'optional'} kind
 *   `process`: tests with whole processes of the product; `launcher`: tests of deploy/, which contains `npm start` and
 *   `npm test`
 * @property {string[]} command
 * @property {string} [cwd]
 * @property {Record<string, string>} [env]  additional environment variables
 * @property {number} limitMs   time after which the stage is ended and has failed
 * @property {() => import('./counts.mjs').Counts} [readCounts]  reads the numbers of passed, failed and skipped tests;
 *   undefined for a check, which counts as one test
 * @property {boolean} [needsChromium]
 * @property {boolean} [needsStores]  whether the stage uses the private stores of the run; by default, the kind decides
 * @property {boolean} [sharesMachine]  may run concurrently with one other such stage, since it uses one core or often
 *   waits
 * @property {boolean} [mostlyWaits]  hardly uses the CPU, so it does not count as one of these two stages
 * @property {boolean} [isLongOnly]  runs with --long only
 * @property {object} [needs]  programs that not every machine has; for optional stages
 * @property {() => Record<string, string> | undefined} needs.find  returns environment variables with the paths of the
 *   programs, or undefined if a program is missing; the stage is then skipped
 * @property {string} needs.reasonToSkip
 * @property {(logStep: (label: string, text: string) => void) => Promise<void>} [needs.provide]  tries to install the
 *   programs
 */

/**
 * Lists the stages of `npm test` after the build, in order.
 * @param {string} reports  folder for the reports of the tools
 * @returns {Stage[]}
 */
export function listStages(reports) {
  return [
    ...listSharingStages(reports).map((stage) => ({ ...stage, sharesMachine: true })),
    createDrillStage(reports),
    createJestStage(reports, {
      name: 'integration',
      kind: 'integration',
      workspace: 'backend',
      project: 'integration',
      workers: 3,
      minutes: 12,
    }),
    createBrowserStage('browser', path.join(reports, 'browser.json')),
    createSlowLineStage(path.join(reports, 'slow-line.json')),
    createScreensStage(path.join(reports, 'screens.json')),
  ];
}

/** Lists the stages that run two at a time, in an order that keeps two running until shortly before the end. */
function listSharingStages(reports) {
  return [
    createCheck({
      name: 'lint',
      command: [...getPackageCommand('eslint'), '--max-warnings', '0', '.'],
      minutes: 6,
    }),
    createUnitStage(reports, { workspace: 'frontend', project: 'unit' }),
    createCheck({
      name: 'types',
      command: createNxCommand('typecheck'),
      env: createNxEnvironment(),
      minutes: 6,
    }),
    createUnitStage(reports, { workspace: 'backend', project: 'unit' }),
    createCheck({
      name: 'format',
      command: [...getPackageCommand('prettier'), '--check', '--log-level', 'warn', '.'],
      minutes: 3,
    }),
    createCheck({
      name: 'boundaries',
      command: [...getNpmCommand(), 'run', '--silent', 'boundaries'],
      minutes: 2,
    }),
    createUnitStage(reports, { workspace: 'contract' }),
    createJestStage(reports, {
      name: 'process',
      kind: 'process',
      workspace: 'backend',
      project: 'process',
      workers: 2,
      minutes: 12,
    }),
    createChaosStage(path.join(reports, 'chaos.json')),
    createLauncherStage(path.join(reports, 'launcher.tap')),
    createJestStage(reports, {
      name: 'process: frontend',
      kind: 'process',
      workspace: 'frontend',
      project: 'process',
      minutes: 8,
    }),
    createClusterStage(reports),
  ];
}

/**
 * @param {{name: string, command: string[], env?: Record<string, string>, minutes: number}} options  `minutes`: time
 *   limit
 * @returns {Stage}
 */
function createCheck({ name, command, env, minutes }) {
  return { name, kind: 'static', command, env, limitMs: minutes * MINUTE_MS };
}

/**
 * @param {string} reports  folder for the report of Jest
 * @param {{name: string, kind: Stage['kind'], workspace: string, project?: string, workers?: number,
 *   minutes?: number}} options  `workspace`: folder of the tests; `project`: of the configuration of Jest, by default
 *   all; `workers`: maximum number of processes, by default that of Jest; `minutes`: time limit
 * @returns {Stage}
 */
function createJestStage(reports, { name, kind, workspace, project, workers, minutes = 4 }) {
  const report = path.join(reports, `${name.replace(/\W+/g, '-')}.json`);
  return {
    name,
    kind,
    command: [
      ...getPackageCommand('jest'),
      ...(project ? ['--selectProjects', project] : []),
      ...(workers ? [`--maxWorkers=${workers}`] : []),
      '--json',
      `--outputFile=${report}`,
    ],
    cwd: resolveInRepository(workspace),
    limitMs: minutes * MINUTE_MS,
    readCounts: () => readJestCounts(report),
  };
}

function createUnitStage(reports, { workspace, project }) {
  return createJestStage(reports, { name: `unit: ${workspace}`, kind: 'unit', workspace, project });
}

/**
 * Kills primaries of a Redis Cluster while users send messages for a minute. The optional stage `redis cluster:
 * failover` has longer tests.
 */
function createClusterStage(reports) {
  const stage = createJestStage(reports, {
    name: 'process: cluster',
    kind: 'process',
    workspace: 'backend',
    project: 'failover',
  });
  return { ...stage, mostlyWaits: true };
}

/** Restores a backup, and searches for texts of a deleted user. */
function createDrillStage(reports) {
  const stage = createJestStage(reports, {
    name: 'drill',
    kind: 'process',
    workspace: 'backend',
    project: 'drill',
  });
  return { ...stage, isLongOnly: true };
}

/** Injects faults for one minute. */
function createChaosStage(report) {
  const script = resolveInRepository('deploy/local/chaos.mjs');
  return {
    name: 'chaos',
    kind: 'process',
    command: [
      process.execPath,
      script,
      '--built',
      '--seed',
      CHAOS_SEED,
      '--seconds',
      '60',
      '--report',
      report,
    ],
    limitMs: 6 * MINUTE_MS,
    readCounts: () => readChaosCounts(report),
  };
}

/** Runs the tests of the launcher and of the other folders in deploy/, except those that optional stages run. */
function createLauncherStage(report) {
  const files = ['deploy/local', 'deploy/lint', 'deploy/observability', 'deploy/helm', 'deploy/nginx']
    .flatMap((folder) =>
      fs
        .readdirSync(resolveInRepository(folder), { recursive: true })
        .map((name) => resolveInRepository(folder, name)),
    )
    .filter((file) => file.endsWith('.test.mjs') && !OPTIONAL_TESTS.test(file))
    .sort();
  return {
    name: 'launcher',
    kind: 'launcher',
    command: createNodeTestCommand(report, files),
    limitMs: 6 * MINUTE_MS,
    readCounts: () => readTapCounts(report),
  };
}

function createBrowserStage(name, report, args = []) {
  return {
    name,
    kind: 'browser',
    command: [...getPackageCommand('playwright'), 'test', ...args, '--reporter=list,json'],
    cwd: resolveInRepository('frontend'),
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    limitMs: 18 * MINUTE_MS,
    readCounts: () => readPlaywrightCounts(report),
    needsChromium: true,
  };
}

/** Measures when the page is painted and usable on a slow connection with an empty cache. */
function createSlowLineStage(report) {
  const config = ['--config', 'playwright.slow-line.config.ts'];
  return { ...createBrowserStage('slow line', report, config), isLongOnly: true };
}

/** Runs the browser tests of blocks, reports, moderation and standings at three widths and in both themes. */
function createScreensStage(report) {
  const config = ['--config', 'playwright.screens.config.ts'];
  return { ...createBrowserStage('screens', report, config), isLongOnly: true };
}
