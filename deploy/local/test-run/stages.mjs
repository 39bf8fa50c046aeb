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
/** An arbitrary number. */
const CHAOS_SEED = '2133';

/**
 * One stage of `npm test`: one kind of tests of one workspace, or a check such as lint.
 * @typedef {object} Stage
 * @property {string} name
 * @property {'static' | 'unit' | 'integration' | 'process' | 'launcher' | 'browser' | 'optional'} kind  `--only`
 *   selects stages by this kind or by their name; `process`: tests with whole processes of the product; `launcher`:
 *   tests of deploy/, which contains `npm start` and `npm test`
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
 * @property {boolean} [mostlyWaits]  hardly uses the CPU, so it runs in addition to two other stages that share the
 *   machine
 * @property {boolean} [isLongOnly]  runs with --long only
 * @property {object} [needs]  programs that not every machine has
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
  /** @param {string} workspace  folder of the tests  @param {number} minutes  time limit */
  const createJestStage = (name, kind, workspace, args = [], minutes = 4) => {
    const report = path.join(reports, `${name.replace(/\W+/g, '-')}.json`);
    const reportArgs = ['--json', `--outputFile=${report}`];
    return {
      name,
      kind,
      command: [...getPackageCommand('jest'), ...args, ...reportArgs],
      cwd: resolveInRepository(workspace),
      limitMs: minutes * MINUTE_MS,
      readCounts: () => readJestCounts(report),
    };
  };
  /** @param {number} minutes  time limit */
  const createCheck = (name, command, minutes, env) => ({
    name,
    kind: 'static',
    command,
    env,
    limitMs: minutes * MINUTE_MS,
  });
  // Users send messages for a minute, in which primaries of a Redis Cluster are killed. Jest's project `cluster` has
  // longer tests, which are an optional stage.
  const clusterStage = createJestStage('process: cluster', 'process', 'backend', [
    '--selectProjects',
    'failover',
  ]);
  // Two of these stages run at a time. This order keeps two of them running until shortly before the end.
  const sharingStages = [
    createCheck('lint', [...getPackageCommand('eslint'), '--max-warnings', '0', '.'], 6),
    createJestStage('unit: frontend', 'unit', 'frontend', ['--selectProjects', 'unit']),
    createCheck('types', createNxCommand('typecheck'), 6, createNxEnvironment()),
    createJestStage('unit: backend', 'unit', 'backend', ['--selectProjects', 'unit']),
    createCheck('format', [...getPackageCommand('prettier'), '--check', '--log-level', 'warn', '.'], 3),
    createCheck('boundaries', [...getNpmCommand(), 'run', '--silent', 'boundaries'], 2),
    createJestStage('unit: contract', 'unit', 'contract'),
    createJestStage('process', 'process', 'backend', ['--selectProjects', 'process', '--maxWorkers=2'], 12),
    createChaosStage(path.join(reports, 'chaos.json')),
    createLauncherStage(path.join(reports, 'launcher.tap')),
    createJestStage('process: frontend', 'process', 'frontend', ['--selectProjects', 'process'], 8),
    { ...clusterStage, mostlyWaits: true },
  ];
  return [
    ...sharingStages.map((stage) => ({ ...stage, sharesMachine: true })),
    // Restores a backup, and searches for texts of a deleted user.
    {
      ...createJestStage('drill', 'process', 'backend', ['--selectProjects', 'drill']),
      isLongOnly: true,
    },
    createJestStage(
      'integration',
      'integration',
      'backend',
      ['--selectProjects', 'integration', '--maxWorkers=3'],
      12,
    ),
    createBrowserStage('browser', path.join(reports, 'browser.json')),
    createSlowLineStage(path.join(reports, 'slow-line.json')),
    createScreensStage(path.join(reports, 'screens.json')),
  ];
}

/**
 * Injects faults for one minute. The seed is fixed, so that every run injects the same faults and a new failure points
 * to the change under test.
 */
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
