// Checks the alert rules with promtool, and runs every query of the dashboard and the alerts against a real Prometheus.
// Prometheus scrapes three replicas and a worker under load from k6; PostgreSQL has a read replica. Part of
// `npm run test:optional`.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { resolveInRepository } from '../local/paths.mjs';
import { findFreePorts } from '../local/processes/ports.mjs';
import { startPostgresPair } from '../local/stores/postgres-replica.mjs';
import { startStack } from '../local/thaw-stack.mjs';
import { readAlerts, readPanelQueries, withoutThreshold } from './queries.mjs';

const { PROMETHEUS_PATH: prometheus, PROMTOOL_PATH: promtool, K6_PATH: k6 } = process.env;
const run = promisify(execFile);
const resolveInFolder = (...parts) => resolveInRepository('deploy', 'observability', ...parts);

test('promtool accepts the configuration and the rules, and the tests of the rules pass', async () => {
  await run(promtool, ['check', 'config', resolveInFolder('prometheus.yml')]);
  await run(promtool, ['check', 'rules', resolveInFolder('alerts.yml')]);
  await run(promtool, ['test', 'rules', resolveInFolder('alerts.test.yml')]);
});

test('under load, the queries of all panels and alerts return series', async (t) => {
  const postgres = await startPostgresPair();
  t.after(() => postgres.stop());
  const stack = await startStack({
    replicas: 3,
    env: {
      LIMITS_PROFILE: 'load',
      // The few users of the load test are matched with each other again and again.
      REMATCH_COOLDOWN_S: '0',
      DATABASE_URL: postgres.url,
      READ_DATABASE_URL: postgres.replicaUrl,
    },
  });
  t.after(() => stack.stop());
  const server = await startPrometheus(stack);
  t.after(() => server.stop());
  const load = spawn(k6, ['run', '--quiet', resolveInRepository('deploy', 'k6', 'chat.js')], {
    env: { ...process.env, BASE_URL: stack.url, PEOPLE: '20', RAMP: '5s', DURATION: '60s', CHAT: '8s' },
    stdio: 'ignore',
  });
  const loadEnded = new Promise((resolve) => load.once('exit', resolve));
  t.after(() => load.kill());

  const queries = [
    ...readPanelQueries().map(({ name, expr }) => ({ name, expr })),
    // With its threshold, the query of an alert returns no series while the alert does not fire.
    ...readAlerts().map(({ name, expr }) => ({ name, expr: withoutThreshold(expr) })),
  ];
  // Series appear only when users have arrived; rates need two scrapes.
  const deadline = Date.now() + 60_000;
  let withoutSeries = queries;
  while (withoutSeries.length > 0 && Date.now() < deadline) {
    await wait(1_000);
    const counts = await Promise.all(withoutSeries.map(({ expr }) => server.countSeries(expr)));
    withoutSeries = withoutSeries.filter((_, index) => counts[index] === 0);
  }
  assert.deepEqual(withoutSeries, []);
  const processCount = stack.replicas.length + stack.workers.length;
  assert.equal(await server.countSeries('up{job=~"thaw-.+"} == 1'), processCount);
  assert.equal(await loadEnded, 0);
});

/** Starts a Prometheus that scrapes the processes of a stack every second. */
async function startPrometheus(stack) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-prometheus-'));
  const [port] = await findFreePorts(1);
  const formatTargets = (processes) =>
    JSON.stringify(processes.map(({ internalPort }) => `127.0.0.1:${internalPort}`));
  fs.copyFileSync(resolveInFolder('alerts.yml'), path.join(folder, 'alerts.yml'));
  fs.writeFileSync(
    path.join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 5s }
rule_files: [alerts.yml]
scrape_configs:
  - { job_name: thaw-backend, static_configs: [{ targets: ${formatTargets(stack.replicas)} }] }
  - { job_name: thaw-worker, static_configs: [{ targets: ${formatTargets(stack.workers)} }] }
`,
  );
  const args = [
    `--config.file=${path.join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn(prometheus, args, { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    /**
     * Counts the series that a query returns now; 0 while Prometheus is starting. Shortens the ranges of the query,
     * such as `[5m]`, because the test runs for only a minute.
     */
    async countSeries(expr) {
      const query = encodeURIComponent(
        expr.replaceAll('$__rate_interval', '10s').replaceAll(/\[\d+m\]/g, '[30s]'),
      );
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${query}`).catch(
        () => undefined,
      );
      if (!response || response.status === 503) return 0;
      const body = await response.json();
      assert.equal(body.status, 'success', `${expr}: ${body.error}`);
      return body.data.result.length;
    },
    async stop() {
      child.kill();
      await exited;
      fs.rmSync(folder, { recursive: true });
    },
  };
}
