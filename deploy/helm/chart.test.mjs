// Compares the text of the Helm chart with docker-compose.yml and the backend. helm.test.mjs renders the chart.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { resolveInRepository } from '../local/paths.mjs';

const read = (file) => fs.readFileSync(resolveInRepository(file), 'utf8');
const compose = read('docker-compose.yml');
const values = read('deploy/helm/thaw/values.yaml');
const templates = Object.fromEntries(
  fs
    .readdirSync(resolveInRepository('deploy/helm/thaw/templates'))
    .map((name) => [name, read(`deploy/helm/thaw/templates/${name}`)]),
);

/** Returns the lines below `header` that are indented further. */
function readBlock(text, header) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line === header || line.startsWith(`${header} `));
  assert.ok(start >= 0, `there is no ${header.trim()}`);
  const indent = header.search(/\S/);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= indent);
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}
/** Lists the names of the settings that are keys of a YAML text, such as `NAME: value`. */
const listNames = (text) => [...text.matchAll(/^\s+([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name);
/** Lists the names of the settings that a template passes as `- { name: NAME, … }`. */
const listTemplateNames = (text) =>
  [...text.matchAll(/- \{ name: ([A-Z][A-Z0-9_]+),/g)].map(([, name]) => name);
/** The settings that docker-compose.yml passes to every process. */
const sharedComposeSettings = listNames(readBlock(compose, 'x-settings: &settings'));
const readEnvironment = (service) => readBlock(readBlock(compose, `  ${service}:`), '    environment:');
/** A setting `NAME_FILE` is the path of a file with the value of the setting `NAME`. */
const isFileSetting = (name) => name.endsWith('_FILE');
/** Settings with secret values, which the chart passes as files only. */
const secretNames = [...readBlock(values, 'secrets:').matchAll(/^ {2}([a-z0-9-]+):/gm)].map(([, key]) =>
  key.replaceAll('-', '_').toUpperCase(),
);
const withoutSecrets = (names) => names.filter((name) => !isFileSetting(name) && !secretNames.includes(name));

test('the chart and docker-compose.yml pass the same settings to every process', () => {
  const chart = [
    ...listNames(readBlock(values, 'settings:')),
    // Only the chart sets REPLICA_ID. With docker compose it has its default, the host name of the container.
    ...listTemplateNames(templates['_helpers.tpl']).filter((name) => name !== 'REPLICA_ID'),
  ];
  assert.deepEqual(chart.sort(), withoutSecrets(sharedComposeSettings).sort());
});

test('the chart and docker-compose.yml pass the same additional settings to api replicas', () => {
  const chart = [
    ...listNames(readBlock(values, 'apiSettings:')),
    ...listTemplateNames(templates['backend.yaml']),
  ];
  assert.deepEqual(chart.sort(), withoutSecrets(listNames(readEnvironment('backend'))).sort());
});

test('the chart and docker-compose.yml pass to nginx exactly the settings in compose-site.conf.template', () => {
  const chart = listTemplateNames(templates['frontend.yaml']).sort();
  // The filter is a regular expression of the form `^(NAME|NAME)$`.
  const [, filter] = /NGINX_ENVSUBST_FILTER=\^\(([A-Z_|]+)\)\$/.exec(read('Dockerfile.frontend'));
  assert.deepEqual(filter.split('|').sort(), chart);
  // Dockerfile.frontend sets these to the values for Docker.
  const settingsOfImage = ['API_HOST', 'API_RESOLVER'];
  assert.deepEqual([...listNames(readEnvironment('frontend')), ...settingsOfImage].sort(), chart);
  const usedNames = [...read('deploy/nginx/compose-site.conf.template').matchAll(/\$\{([A-Z_]+)\}/g)];
  assert.deepEqual([...new Set(usedNames.map(([, name]) => name))].sort(), chart);
});

test('every secret of the backend has a key in the chart', () => {
  const [, list] = /secretNames = \[([^\]]+)\]/.exec(read('backend/src/config/environment.config.ts'));
  const names = [...list.matchAll(/'([A-Z0-9_]+)'/g)].map(([, name]) => name);
  assert.deepEqual(names.sort(), secretNames.sort());
});

test('each process gets the same secrets as in docker-compose.yml, and no others', () => {
  const sharedSecrets = [
    'DATABASE_URL',
    'RECEIPT_KEY',
    'REDIS_SENTINEL_PASSWORD',
    'REDIS_URL',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
  ];
  const expected = {
    'worker.yaml': sharedSecrets,
    'migrate.yaml': [...sharedSecrets, 'MIGRATE_DATABASE_URL'],
    'backend.yaml': [
      ...sharedSecrets,
      'READ_DATABASE_URL',
      'SAFETY_SECRET',
      'SESSION_SECRET',
      'SUGGESTIONS_API_KEY',
    ],
  };
  for (const [name, expectedNames] of Object.entries(expected)) {
    const [, keys] = /\$keys := list ([^}]+) \}\}/.exec(templates[name]);
    const inChart = [...keys.matchAll(/"([a-z0-9-]+)"/g)].map(([, key]) =>
      key.replaceAll('-', '_').toUpperCase(),
    );
    assert.deepEqual(inChart.sort(), [...expectedNames].sort(), name);
    const service = name.replace('.yaml', '');
    const inCompose = [
      ...sharedComposeSettings,
      // A worker has only the shared settings.
      ...(service === 'worker' ? [] : listNames(readEnvironment(service))),
    ].map((setting) => setting.replace(/_FILE$/, ''));
    const secretsInCompose = secretNames.filter((secret) => inCompose.includes(secret));
    assert.deepEqual(secretsInCompose.sort(), [...expectedNames].sort(), name);
  }
});

test('the chart and docker-compose.yml run the same commands with the same ports', () => {
  for (const service of ['worker', 'migrate']) {
    const [, command] = /command: (\[.*\])/.exec(readBlock(compose, `  ${service}:`));
    assert.ok(templates[`${service}.yaml`].includes(`command: ${command}`), service);
  }
  assert.ok(
    !templates['backend.yaml'].includes('command: [node'),
    'the chart overrides the command of the image',
  );
  assert.match(read('Dockerfile.backend'), /EXPOSE 3000/);
  assert.match(templates['backend.yaml'], /containerPort: 3000/);
  assert.match(templates['frontend.yaml'], /containerPort: 8080/);
  for (const path of ['/health/ready', '/health/live'])
    assert.ok(templates['_helpers.tpl'].includes(`path: ${path}, port: internal`));
  assert.ok(compose.includes('/health/ready'));
});

test('the grace period of a pod is longer than its pause before shutdown plus its drain', () => {
  const source = read('backend/src/platform/lifecycle/graceful-shutdown.service.ts');
  const [, drainMs] = /SHUTDOWN_TIMEOUT_MS = ([\d_]+)/.exec(source);
  const [, pauseS] = /command: \[sleep, '(\d+)'\]/.exec(templates['backend.yaml']);
  const [, graceS] = /terminationGracePeriodSeconds: (\d+)/.exec(templates['backend.yaml']);
  assert.ok(Number(graceS) > Number(pauseS) + Number(drainMs.replaceAll('_', '')) / 1_000);
});

test('nothing in the chart ties a user to a replica', () => {
  for (const [name, text] of Object.entries(templates))
    assert.doesNotMatch(text, /sessionAffinity|affinity-|sticky/i, name);
});
