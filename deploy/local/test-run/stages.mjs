import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { inRepository } from '../places.mjs';
import { nxEnvironment, nxRunMany } from '../provide/build.mjs';
import { npmCommand, packageCommand } from '../provide/node-packages.mjs';
import { jestCounts, playwrightCounts, reportCounts, tapCounts } from './counts.mjs';
import { findFirefox, findWebKit } from './other-browsers.mjs';

const MINUTE_MS = 60_000;

/**
 * One stage of `npm test`.
 * @typedef {object} Stage
 * @property {string} name
 * @property {'static' | 'unit' | 'integration' | 'process' | 'launcher' | 'browser' | 'optional'} kind  for --only
 * @property {string[]} command
 * @property {string} [cwd]
 * @property {Record<string, string>} [env]  additional environment variables
 * @property {number} limitMs
 * @property {() => import('./counts.mjs').Counts} [counts]  a stage without it is a check, which counts as one test
 * @property {boolean} [needsChromium]
 * @property {boolean} [isLongOnly]  left out of the short form
 * @property {{find: () => Record<string, string> | undefined, orSkip: string}} [needs]  a program that not every
 *   machine has: its settings for the stage, and what to do to have it
 */

export const KINDS = ['static', 'unit', 'integration', 'process', 'launcher', 'browser'];

/**
 * All stages after the build, in order.
 * @param {string} reports  folder for the reports of the tools
 * @returns {Stage[]}
 */
export function stages(reports) {
  const jest = (name, kind, project, args = [], minutes = 4) => {
    const report = path.join(reports, `${name.replace(/\W+/g, '-')}.json`);
    const output = ['--json', `--outputFile=${report}`];
    return {
      name,
      kind,
      command: [...packageCommand('jest'), ...args, ...output],
      cwd: inRepository(project),
      limitMs: minutes * MINUTE_MS,
      counts: () => jestCounts(report),
    };
  };
  const check = (name, command, minutes, env) => ({
    name,
    kind: 'static',
    command,
    env,
    limitMs: minutes * MINUTE_MS,
  });
  return [
    check('lint', [...packageCommand('eslint'), '--max-warnings', '0', '.'], 6),
    check('format', [...packageCommand('prettier'), '--check', '--log-level', 'warn', '.'], 3),
    check('types', nxRunMany('typecheck'), 6, nxEnvironment()),
    check('boundaries', [...npmCommand(), 'run', '--silent', 'boundaries'], 2),
    jest('unit: contract', 'unit', 'contract'),
    jest('unit: backend', 'unit', 'backend', ['--selectProjects', 'unit']),
    jest('unit: frontend', 'unit', 'frontend', ['--selectProjects', 'unit']),
    jest('integration', 'integration', 'backend', ['--selectProjects', 'integration', '--maxWorkers=3'], 12),
    jest('process', 'process', 'backend', ['--selectProjects', 'process', '--maxWorkers=2'], 12),
    chaos(path.join(reports, 'chaos.json')),
    jest('process: frontend', 'process', 'frontend', ['--selectProjects', 'process'], 8),
    launcher(path.join(reports, 'launcher.tap')),
    browser('browser', path.join(reports, 'browser.json')),
    slowLine(path.join(reports, 'slow-line.json')),
  ];
}

/**
 * What `npm run test:optional` runs: browsers beside Chromium, where they are installed.
 * @param {string} reports  a folder for the tools' reports
 * @returns {Stage[]}
 */
export const optionalStages = (reports) => [
  otherBrowser('firefox', reports, {
    find: findFirefox,
    orSkip: 'no Firefox was found; install firefox-esr or give FIREFOX_PATH',
  }),
  otherBrowser('webkit', reports, {
    find: findWebKit,
    orSkip: 'no WebKitGTK was found; install webkit2gtk-driver and xvfb',
  }),
];

function otherBrowser(project, reports, needs) {
  const report = path.join(reports, `${project}.json`);
  const config = ['--config', 'playwright.other-browsers.config.ts', '--project', project];
  return {
    name: `journey: ${project}`,
    kind: 'optional',
    command: [...packageCommand('playwright'), 'test', ...config, '--reporter=list,json'],
    cwd: inRepository('frontend'),
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    limitMs: 6 * MINUTE_MS,
    counts: () => playwrightCounts(report),
    needs,
  };
}

/** One minute of injected faults with a fixed seed, so that a failure is caused by the change under test. */
function chaos(report) {
  const script = inRepository('deploy/local/chaos.mjs');
  return {
    name: 'chaos',
    kind: 'process',
    command: [process.execPath, script, '--built', '--seed', '2133', '--seconds', '60', '--report', report],
    limitMs: 6 * MINUTE_MS,
    counts: () => reportCounts(report),
  };
}

function launcher(report) {
  const files = ['deploy/local', 'deploy/lint']
    .flatMap((folder) =>
      fs.readdirSync(inRepository(folder), { recursive: true }).map((name) => inRepository(folder, name)),
    )
    .filter((file) => file.endsWith('.test.mjs'))
    .sort();
  const reporter = (name, to) => [`--test-reporter=${name}`, `--test-reporter-destination=${to}`];
  return {
    name: 'launcher',
    kind: 'launcher',
    command: [
      process.execPath,
      '--test',
      ...reporter('spec', 'stdout'),
      ...reporter('tap', report),
      ...files,
    ],
    limitMs: 6 * MINUTE_MS,
    counts: () => tapCounts(report),
  };
}

function browser(name, report, args = []) {
  return {
    name,
    kind: 'browser',
    command: [...packageCommand('playwright'), 'test', ...args, '--reporter=list,json'],
    cwd: inRepository('frontend'),
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    limitMs: 18 * MINUTE_MS,
    counts: () => playwrightCounts(report),
    needsChromium: true,
  };
}

/** How soon the page is painted and usable over a slow line with nothing cached. */
function slowLine(report) {
  const config = ['--config', 'playwright.slow-line.config.ts'];
  return { ...browser('slow line', report, config), isLongOnly: true };
}
