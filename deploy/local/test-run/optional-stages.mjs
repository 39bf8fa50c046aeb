import path from 'node:path';
import process from 'node:process';
import { resolveInRepository } from '../paths.mjs';
import { findProgram } from '../provide/find-program.mjs';
import { findK6, provideK6 } from '../provide/k6.mjs';
import { getPackageCommand } from '../provide/node-packages.mjs';
import {
  findHelmEnvironment,
  findVersityGw,
  provideHelmAndValidator,
  provideVersityGw,
} from '../provide/optional-programs.mjs';
import { findPgBouncer } from '../stores/pgbouncer.mjs';
import { findPostgresProgramFolder } from '../stores/postgres-replica.mjs';
import { readJestCounts, readPlaywrightCounts, readTapCounts } from './counts.mjs';
import { createNodeTestCommand } from './node-test.mjs';
import { findFirefox, findWebKit } from './other-browsers.mjs';

const MINUTE_MS = 60_000;
/**
 * Returned by a function that finds the programs of a stage (`needs.find` of `Stage` in stages.mjs): they exist, and
 * the tests find them without environment variables.
 */
const NO_VARIABLES = {};

/**
 * Lists the stages of `npm run test:optional`. `needs` names the programs of a stage that `npm test` does not use; a
 * stage is skipped if they are not installed and cannot be provided. `needsStores` is about PostgreSQL and Redis: with
 * it, a stage uses those of the run; without it, a stage starts its own or uses none.
 * @param {string} reports  folder for the reports of the tools
 * @returns {import('./stages.mjs').Stage[]}
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

/** Creates the command line of Jest, which also writes its results to a file, as JSON. */
function createJestCommand(report, args) {
  return [...getPackageCommand('jest'), ...args, '--json', `--outputFile=${report}`];
}

/** Runs the main user journey in another browser than Chromium. */
function createOtherBrowserStage(browser, reports, needs) {
  const report = path.join(reports, `${browser}.json`);
  const config = ['--config', 'playwright.other-browsers.config.ts', '--project', browser];
  return {
    name: `journey: ${browser}`,
    kind: 'optional',
    command: [...getPackageCommand('playwright'), 'test', ...config, '--reporter=list,json'],
    cwd: resolveInRepository('frontend'),
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
    limitMs: 6 * MINUTE_MS,
    readCounts: () => readPlaywrightCounts(report),
    needs,
  };
}

/** Runs the integration specs that depend most on Redis, one file at a time, on three primaries with a replica each. */
function createClusterStage(report) {
  // Regular expressions for the paths of the specs.
  const specPatterns = [
    'modules/matching/',
    'modules/presence/',
    'modules/random-chat/(application|transport)/',
    'modules/random-chat/jobs/(outbox|chat-stream|many-ends|redis-drain)',
    'platform/hot-log/',
    'platform/queue/',
    'platform/rate-limit/',
    'platform/realtime/(frame-rate|socket-admission|socket-close|socket-lifecycle)',
  ];
  const projectArgs = ['--selectProjects', 'integration', '--runInBand'];
  const specArgs = ['--testPathPatterns', specPatterns.join('|')];
  return {
    name: 'redis cluster',
    kind: 'optional',
    command: [
      process.execPath,
      resolveInRepository('deploy/local/with-cluster.mjs'),
      '--',
      ...createJestCommand(report, [...projectArgs, ...specArgs]),
    ],
    cwd: resolveInRepository('backend'),
    limitMs: 15 * MINUTE_MS,
    readCounts: () => readJestCounts(report),
  };
}

/**
 * Runs chats on three api replicas during failovers of a Redis Cluster, moves of its slots, and failovers by Sentinels.
 * The stage `process: cluster` of `npm test` runs a shorter version of these tests.
 */
function createFailoverStage(report) {
  return {
    name: 'redis cluster: failover',
    kind: 'optional',
    command: createJestCommand(report, ['--selectProjects', 'cluster', '--runInBand']),
    cwd: resolveInRepository('backend'),
    limitMs: 6 * MINUTE_MS,
    readCounts: () => readJestCounts(report),
  };
}

/** Runs the integration specs of the modules on a PostgreSQL behind a PgBouncer in transaction mode. */
function createPoolerStage(report) {
  const projectArgs = ['--selectProjects', 'integration', 'pooler', '--maxWorkers=2'];
  const specArgs = ['--testPathPatterns', 'src/modules/|test/pooler/'];
  // PgBouncer does not know the roles and databases that the spec of the restored backup creates. The first two
  // patterns are those of jest.config.mjs, which this argument replaces.
  const ignoreArgs = ['--testPathIgnorePatterns', '/node_modules/', '/dist/', 'restored-backup'];
  return {
    name: 'pgbouncer',
    kind: 'optional',
    command: [
      process.execPath,
      resolveInRepository('deploy/local/with-pooler.mjs'),
      '--',
      ...createJestCommand(report, [...projectArgs, ...specArgs, ...ignoreArgs]),
    ],
    cwd: resolveInRepository('backend'),
    limitMs: 20 * MINUTE_MS,
    readCounts: () => readJestCounts(report),
    needs: {
      find: () => (findPgBouncer() ? NO_VARIABLES : undefined),
      reasonToSkip: "no PgBouncer was found: install Debian's package pgbouncer",
    },
  };
}

/** Runs the specs that read from a streaming replica of PostgreSQL, which pauses, stops and restarts. */
function createReplicaStage(report) {
  return {
    name: 'read replica',
    kind: 'optional',
    needsStores: true,
    command: createJestCommand(report, ['--selectProjects', 'replica', '--runInBand']),
    cwd: resolveInRepository('backend'),
    limitMs: 4 * MINUTE_MS,
    readCounts: () => readJestCounts(report),
    needs: {
      find: () => (findPostgresProgramFolder() ? NO_VARIABLES : undefined),
      reasonToSkip: "no PostgreSQL with pg_basebackup was found: install Debian's package postgresql",
    },
  };
}

/** Tests the load scripts with k6. */
function createLoadStage(report) {
  return {
    name: 'load: k6',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/k6/load.test.mjs')]),
    limitMs: 15 * MINUTE_MS,
    readCounts: () => readTapCounts(report),
    needs: {
      find: () => {
        const k6 = findK6();
        return k6 && { K6_PATH: k6 };
      },
      provide: provideK6,
      reasonToSkip: 'no k6 was found, and no Go to build it with: install k6, or set K6_PATH',
    },
  };
}

/** Tests the alert rules and the dashboard with Prometheus, under load from k6, on PostgreSQL with a read replica. */
function createMetricsStage(report) {
  return {
    name: 'metrics: prometheus',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/observability/prometheus.test.mjs')]),
    limitMs: 6 * MINUTE_MS,
    readCounts: () => readTapCounts(report),
    needs: {
      find: () => {
        const prometheus = findProgram(['prometheus']);
        const promtool = findProgram(['promtool']);
        const k6 = findK6();
        if (!prometheus || !promtool || !k6 || !findPostgresProgramFolder()) return undefined;
        return { PROMETHEUS_PATH: prometheus, PROMTOOL_PATH: promtool, K6_PATH: k6 };
      },
      provide: provideK6,
      reasonToSkip: "Prometheus, PostgreSQL (Debian's packages prometheus, postgresql) or k6 was not found",
    },
  };
}

/** Tests the Helm chart for Kubernetes. */
function createChartStage(report) {
  return {
    name: 'chart: helm',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/helm/helm.test.mjs')]),
    limitMs: 6 * MINUTE_MS,
    readCounts: () => readTapCounts(report),
    needs: {
      find: findHelmEnvironment,
      provide: provideHelmAndValidator,
      reasonToSkip:
        'Helm or kubernetes-validate was not found: install Go 1.26 and Python with venv to get them',
    },
  };
}

/** Tests upload, download, expiry and erasure of images with VersityGW, the S3 storage of the compose files. */
function createStorageStage(report) {
  const projectArgs = ['--selectProjects', 'integration', '--runInBand'];
  // The specs that store images.
  const specPatterns = ['file-storage.port', 'uploaded-images', 'images-in-use', 'account-deletion'];
  const specArgs = ['--testPathPatterns', specPatterns.join('|')];
  return {
    name: 'storage: versitygw',
    kind: 'optional',
    needsStores: true,
    command: createJestCommand(report, [...projectArgs, ...specArgs]),
    cwd: resolveInRepository('backend'),
    limitMs: 6 * MINUTE_MS,
    readCounts: () => readJestCounts(report),
    needs: {
      find: () => {
        const versityGw = findVersityGw();
        return versityGw && { VERSITYGW_PATH: versityGw };
      },
      provide: provideVersityGw,
      reasonToSkip: 'no VersityGW was found, and no Go to build it with',
    },
  };
}

/** Tests the product behind nginx with the example configuration for TLS. `npm test` uses nginx as well. */
function createTlsStage(report) {
  return {
    name: 'tls: nginx',
    kind: 'optional',
    command: createNodeTestCommand(report, [resolveInRepository('deploy/nginx/tls-product.test.mjs')]),
    limitMs: 3 * MINUTE_MS,
    readCounts: () => readTapCounts(report),
    needs: {
      find: () => (findProgram(['openssl']) ? NO_VARIABLES : undefined),
      reasonToSkip: 'no openssl was found to make a certificate with',
    },
  };
}
