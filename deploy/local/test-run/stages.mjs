import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { resolveInRepository } from '../paths.mjs';
import { createNxEnvironment, createNxCommand } from '../provide/build.mjs';
import { getNpmCommand, getPackageCommand } from '../provide/node-packages.mjs';
import { readJestCounts, readPlaywrightCounts, readReportCounts, readTapCounts } from './counts.mjs';
import { findProgram } from '../provide/find-program.mjs';
import { findPgBouncer } from '../stores/pgbouncer.mjs';
import { findPostgresPrograms } from '../stores/postgres-replica.mjs';
import { findK6 } from '../provide/k6.mjs';
import { findHelm, findVersityGw } from '../provide/optional-programs.mjs';
import { findFirefox, findWebKit } from './other-browsers.mjs';

const MINUTE_MS = 60_000;
/** An arbitrary number. It is fixed so that every run injects the same faults. */
const CHAOS_SEED = '2133';

/**
 * One stage of `npm test`.
 * @typedef {object} Stage
 * @property {string} name
 * @property {'static' | 'unit' | 'integration' | 'process' | 'launcher' | 'browser' | 'optional'} kind  what --only
 * selects
 * @property {string[]} command
 * @property {string} [cwd]
 * @property {Record<string, string>} [env]  additional environment variables
 * @property {number} limitMs   time after which the stage is ended and has failed
 * @property {() => import('./counts.mjs').Counts} [counts]  a stage without it is a check, which counts as one test
 * @property {boolean} [needsChromium]
 * @property {boolean} [sharesMachine]  runs beside another such stage: it uses one core, or waits much of the time
 * @property {boolean} [isLongOnly]  runs with --long only
 * @property {{find: () => Record<string, string> | undefined, reasonToSkip: string}} [needs]  a program that not every
 *   machine has. `find` returns environment variables with its paths; without them the stage is skipped for this reason
 */

export const KINDS = ['static', 'unit', 'integration', 'process', 'launcher', 'browser'];

/**
 * Lists the stages of `npm test` after the build, in order.
 * @param {string} reports  folder for the reports of the tools
 * @returns {Stage[]}
 */
export function listStages(reports) {
  const createJestStage = (name, kind, project, args = [], minutes = 4) => {
    const report = path.join(reports, `${name.replace(/\W+/g, '-')}.json`);
    const output = ['--json', `--outputFile=${report}`];
    return {
      name,
      kind,
      command: [...getPackageCommand('jest'), ...args, ...output],
      cwd: resolveInRepository(project),
      limitMs: minutes * MINUTE_MS,
      counts: () => readJestCounts(report),
    };
  };
  const createCheck = (name, command, minutes, env) => ({
    name,
    kind: 'static',
    command,
    env,
    limitMs: minutes * MINUTE_MS,
  });
  // The longest checks first, so that two that run side by side end at about the same time.
  const shared = [
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
  ];
  return [
    ...shared.map((stage) => ({ ...stage, sharesMachine: true })),
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
 * Lists the stages of `npm run test:optional`: browsers besides Chromium, a Redis Cluster, and the load scripts, where
 * their programs are installed.
 * @param {string} reports  a folder for the tools' reports
 * @returns {Stage[]}
 */
export const listOptionalStages = (reports) => [
  createOtherBrowserStage('firefox', reports, {
    find: findFirefox,
    reasonToSkip: 'no Firefox was found: install firefox-esr or set FIREFOX_PATH',
  }),
  createOtherBrowserStage('webkit', reports, {
    find: findWebKit,
    reasonToSkip: 'no WebKitGTK was found: install webkit2gtk-driver and xvfb',
  }),
  createClusterStage(path.join(reports, 'cluster.json')),
  createFailoverStage(path.join(reports, 'failover.json')),
  createPoolerStage(path.join(reports, 'pooler.json')),
  createReplicaStage(path.join(reports, 'replica.json')),
  createLoadStage(path.join(reports, 'load.tap')),
  createMetricsStage(path.join(reports, 'metrics.tap')),
  createChartStage(path.join(reports, 'chart.tap')),
  createStorageStage(path.join(reports, 'storage.json')),
  createTlsStage(path.join(reports, 'tls.tap')),
];

/** The integration specs that concern Redis most, file by file on a cluster of three primaries and three replicas. */
function createClusterStage(report) {
  const specs = [
    'modules/matching/',
    'modules/presence/',
    'modules/random-chat/(application|transport)/',
    'modules/random-chat/jobs/(outbox|chat-stream|many-ends|redis-drain)',
    'platform/hot-log/',
    'platform/queue/',
    'platform/rate-limit/',
    'platform/realtime/(frame-rate|socket-admission|socket-close|socket-lifecycle)',
  ];
  const args = ['--selectProjects', 'integration', '--runInBand', '--testPathPatterns', specs.join('|')];
  return {
    name: 'redis cluster',
    kind: 'optional',
    command: [
      process.execPath,
      resolveInRepository('deploy/local/with-cluster.mjs'),
      '--',
      ...getPackageCommand('jest'),
      ...args,
      '--json',
      `--outputFile=${report}`,
    ],
    cwd: resolveInRepository('backend'),
    limitMs: 15 * MINUTE_MS,
    counts: () => readJestCounts(report),
  };
}

/** Users who talk over three replicas while a Redis Cluster or Sentinel loses primaries, or moves slots. */
function createFailoverStage(report) {
  const args = ['--selectProjects', 'cluster', '--runInBand', '--json', `--outputFile=${report}`];
  return {
    name: 'redis cluster: failover',
    kind: 'optional',
    command: [...getPackageCommand('jest'), ...args],
    cwd: resolveInRepository('backend'),
    limitMs: 6 * MINUTE_MS,
    counts: () => readJestCounts(report),
  };
}

/** The integration specs of the modules, whose processes reach PostgreSQL through PgBouncer in transaction mode. */
function createPoolerStage(report) {
  const projects = ['--selectProjects', 'integration', 'pooler'];
  // Left out are specs that create roles and databases of their own, which the pooler does not know.
  const args = [...projects, '--testPathPatterns', 'src/modules/', 'test/pooler/'];
  const ignored = ['--testPathIgnorePatterns', '/node_modules/', '/dist/', 'restored-backup'];
  return {
    name: 'pgbouncer',
    kind: 'optional',
    command: [
      process.execPath,
      resolveInRepository('deploy/local/with-pooler.mjs'),
      '--',
      ...getPackageCommand('jest'),
      ...args,
      ...ignored,
      '--json',
      `--outputFile=${report}`,
    ],
    cwd: resolveInRepository('backend'),
    limitMs: 15 * MINUTE_MS,
    counts: () => readJestCounts(report),
    needs: {
      find: () => findPgBouncer() && {},
      reasonToSkip: "no PgBouncer was found: install Debian's package pgbouncer",
    },
  };
}

/** Reads from a streaming replica of PostgreSQL that stands still, stops and returns. */
function createReplicaStage(report) {
  const args = ['--selectProjects', 'replica', '--runInBand', '--json', `--outputFile=${report}`];
  return {
    name: 'read replica',
    kind: 'optional',
    command: [...getPackageCommand('jest'), ...args],
    cwd: resolveInRepository('backend'),
    limitMs: 4 * MINUTE_MS,
    counts: () => readJestCounts(report),
    needs: {
      find: () => findPostgresPrograms() && {},
      reasonToSkip: "no PostgreSQL with pg_basebackup was found: install Debian's package postgresql",
    },
  };
}

/** The alert rules and the dashboard, with Prometheus. */
function createMetricsStage(report) {
  return {
    name: 'metrics: prometheus',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/observability/prometheus.test.mjs')]),
    limitMs: 6 * MINUTE_MS,
    counts: () => readTapCounts(report),
    needs: {
      find: () => {
        const [PROMETHEUS_PATH, PROMTOOL_PATH, K6_PATH] = [
          findProgram(['prometheus']),
          findProgram(['promtool']),
          findK6(),
        ];
        return PROMETHEUS_PATH && PROMTOOL_PATH && K6_PATH
          ? { PROMETHEUS_PATH, PROMTOOL_PATH, K6_PATH }
          : undefined;
      },
      reasonToSkip: "no Prometheus (Debian's package prometheus) or no k6 was found",
    },
  };
}

/** The chart for Kubernetes, rendered by Helm. */
function createChartStage(report) {
  return {
    name: 'chart: helm',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/helm/helm.test.mjs')]),
    limitMs: 6 * MINUTE_MS,
    counts: () => readTapCounts(report),
    needs: {
      find: findHelm,
      reasonToSkip:
        'no Helm or no kubernetes-validate was found, and no Go 1.26 and Python with venv to get them',
    },
  };
}

/** Uploads, views, expiry and erasure with the S3 storage of compose. */
function createStorageStage(report) {
  const jest = [...getPackageCommand('jest'), '--selectProjects', 'integration', '--runInBand'];
  const files = ['file-storage.port', 'uploaded-images', 'images-in-use', 'account-deletion'];
  return {
    name: 'storage: versitygw',
    kind: 'optional',
    command: [...jest, '--testPathPatterns', files.join('|'), '--json', `--outputFile=${report}`],
    cwd: resolveInRepository('backend'),
    limitMs: 6 * MINUTE_MS,
    counts: () => readJestCounts(report),
    needs: {
      find: () => {
        const versityGw = findVersityGw();
        return versityGw && { VERSITYGW_PATH: versityGw };
      },
      reasonToSkip: 'no VersityGW was found, and no Go to build it with',
    },
  };
}

/** The product behind the example of TLS. */
function createTlsStage(report) {
  return {
    name: 'tls: nginx',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/nginx/tls-product.test.mjs')]),
    limitMs: 3 * MINUTE_MS,
    counts: () => readTapCounts(report),
    needs: {
      find: () => (findProgram(['openssl']) ? {} : undefined),
      reasonToSkip: 'no openssl was found to make a certificate with',
    },
  };
}

/** The load scripts with k6. */
function createLoadStage(report) {
  return {
    name: 'load: k6',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/k6/load.test.mjs')]),
    limitMs: 15 * MINUTE_MS,
    counts: () => readTapCounts(report),
    needs: {
      find: () => {
        const k6 = findK6();
        return k6 && { K6_PATH: k6 };
      },
      reasonToSkip: 'no k6 was found, and no Go to build it with: install k6, or set K6_PATH',
    },
  };
}

function createOtherBrowserStage(project, reports, needs) {
  const report = path.join(reports, `${project}.json`);
  const config = ['--config', 'playwright.other-browsers.config.ts', '--project', project];
  return {
    name: `journey: ${project}`,
    kind: 'optional',
    command: [...getPackageCommand('playwright'), 'test', ...config, '--reporter=list,json'],
    cwd: resolveInRepository('frontend'),
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    limitMs: 6 * MINUTE_MS,
    counts: () => readPlaywrightCounts(report),
    needs,
  };
}

/** One minute of injected faults with a fixed seed, so that a new failure is caused by the change under test. */
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
    counts: () => readReportCounts(report),
  };
}

/** `node --test` with a readable report on the console and a TAP report in a file. */
function createNodeTestCommand(report, files) {
  const createReporterArgs = (name, destination) => [
    `--test-reporter=${name}`,
    `--test-reporter-destination=${destination}`,
  ];
  return [
    process.execPath,
    '--test',
    ...createReporterArgs('spec', 'stdout'),
    ...createReporterArgs('tap', report),
    ...files,
  ];
}

function createLauncherStage(report) {
  const files = ['deploy/local', 'deploy/lint', 'deploy/observability', 'deploy/helm', 'deploy/nginx']
    .flatMap((folder) =>
      fs
        .readdirSync(resolveInRepository(folder), { recursive: true })
        .map((name) => resolveInRepository(folder, name)),
    )
    .filter((file) => file.endsWith('.test.mjs') && !/(prometheus|helm|tls-product)\.test\.mjs$/.test(file))
    .sort();
  return {
    name: 'launcher',
    kind: 'launcher',
    command: createNodeTestCommand(report, files),
    limitMs: 6 * MINUTE_MS,
    counts: () => readTapCounts(report),
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
    counts: () => readPlaywrightCounts(report),
    needsChromium: true,
  };
}

/** How soon the page is painted and usable over a slow line with nothing cached. */
function createSlowLineStage(report) {
  const config = ['--config', 'playwright.slow-line.config.ts'];
  return { ...createBrowserStage('slow line', report, config), isLongOnly: true };
}

/** What keeps users safe at three widths and in both themes. */
function createScreensStage(report) {
  const config = ['--config', 'playwright.screens.config.ts'];
  return { ...createBrowserStage('screens', report, config), isLongOnly: true };
}
