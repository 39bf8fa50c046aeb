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

/** Returns the lines below the line `header` that are indented further. */
function readBlock(text, header) {
  const lines = text.split('\n');
  const start = lines.indexOf(header);
  assert.ok(start >= 0, `there is no ${header.trim()}`);
  const getIndent = (line) => line.search(/\S/);
  const block = [];
  for (const line of lines.slice(start + 1)) {
    const isOutside = line.trim() !== '' && getIndent(line) <= getIndent(header);
    if (isOutside) break;
    block.push(line);
  }
  return block.join('\n');
}
/** Lists the names of the settings that are keys of a YAML text, such as `NAME: value`. */
const listYamlSettings = (text) => [...text.matchAll(/^\s+([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name);
/** Lists the names of the settings that a template passes as `- { name: NAME, … }`. */
const listTemplateSettings = (text) =>
  [...text.matchAll(/- \{ name: ([A-Z][A-Z0-9_]+),/g)].map(([, name]) => name);
/** The settings that docker-compose.yml passes to every process. */
const sharedComposeSettings = listYamlSettings(readBlock(compose, 'x-settings: &settings'));
const readEnvironment = (service) => readBlock(readBlock(compose, `  ${service}:`), '    environment:');
/** A setting `NAME_FILE` is the path of a file with the value of the setting `NAME`. */
const isFileSetting = (name) => name.endsWith('_FILE');
/** Converts a key of the secret in the chart to the name of its setting. */
const toSettingName = (secretKey) => secretKey.replaceAll('-', '_').toUpperCase();
/** Settings with secret values, which the chart passes as files only. */
const secretNames = [...readBlock(values, 'secrets:').matchAll(/^ {2}([a-z0-9-]+):/gm)].map(([, key]) =>
  toSettingName(key),
);
const withoutSecrets = (names) => names.filter((name) => !isFileSetting(name) && !secretNames.includes(name));

test('the chart and docker-compose.yml pass the same settings to every process', () => {
  const chart = [
    ...listYamlSettings(readBlock(values, 'settings:')),
    // Only the chart sets REPLICA_ID. With docker compose it has its default, the host name of the container.
    ...listTemplateSettings(templates['_helpers.tpl']).filter((name) => name !== 'REPLICA_ID'),
  ];
  assert.deepEqual(chart.sort(), withoutSecrets(sharedComposeSettings).sort());
});

test('the chart and docker-compose.yml pass the same additional settings to api replicas', () => {
  const chart = [
    ...listYamlSettings(readBlock(values, 'apiSettings:')),
    ...listTemplateSettings(templates['backend.yaml']),
  ];
  assert.deepEqual(chart.sort(), withoutSecrets(listYamlSettings(readEnvironment('backend'))).sort());
});

test('the chart and docker-compose.yml pass to nginx exactly the settings in compose-site.conf.template', () => {
  const variables = [...read('deploy/nginx/compose-site.conf.template').matchAll(/\$\{([A-Z_]+)\}/g)];
  const usedNames = [...new Set(variables.map(([, name]) => name))].sort();
  assert.deepEqual(listTemplateSettings(templates['frontend.yaml']).sort(), usedNames, 'chart');
  // Dockerfile.frontend sets these to the values for docker compose.
  const settingsOfImage = ['API_HOST', 'API_RESOLVER'];
  const composeNames = [...listYamlSettings(readEnvironment('frontend')), ...settingsOfImage];
  assert.deepEqual(composeNames.sort(), usedNames, 'docker-compose.yml');
  // nginx substitutes only the names in this filter, which has the form `^(NAME|NAME)$`.
  const [, filter] = /NGINX_ENVSUBST_FILTER=\^\(([A-Z_|]+)\)\$/.exec(read('Dockerfile.frontend'));
  assert.deepEqual(filter.split('|').sort(), usedNames, 'filter');
});

test('every secret of the backend has a key in the chart', () => {
  const [, list] = /secretNames = \[([^\]]+)\]/.exec(read('backend/src/config/environment.config.ts'));
  const names = [...list.matchAll(/'([A-Z0-9_]+)'/g)].map(([, name]) => name);
  assert.deepEqual(names.sort(), secretNames.sort());
});

const sharedSecrets = [
  'DATABASE_URL',
  'RECEIPT_KEY',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
];
const expectedSecrets = {
  worker: sharedSecrets,
  migrate: [...sharedSecrets, 'MIGRATE_DATABASE_URL'],
  backend: [...sharedSecrets, 'READ_DATABASE_URL', 'SAFETY_SECRET', 'SESSION_SECRET', 'SUGGESTIONS_API_KEY'],
};

test('the chart passes to each process exactly the expected secrets', () => {
  for (const [service, expected] of Object.entries(expectedSecrets)) {
    const [, keys] = /\$keys := list ([^}]+) \}\}/.exec(templates[`${service}.yaml`]);
    const secrets = [...keys.matchAll(/"([a-z0-9-]+)"/g)].map(([, key]) => toSettingName(key));
    assert.deepEqual(secrets.sort(), [...expected].sort(), service);
  }
});

test('docker-compose.yml passes to each process exactly the expected secrets', () => {
  for (const [service, expected] of Object.entries(expectedSecrets)) {
    // A worker has only the shared settings.
    const ownSettings = service === 'worker' ? [] : listYamlSettings(readEnvironment(service));
    const names = [...sharedComposeSettings, ...ownSettings].map((name) => name.replace(/_FILE$/, ''));
    const secrets = secretNames.filter((secret) => names.includes(secret));
    assert.deepEqual(secrets.sort(), [...expected].sort(), service);
  }
});

test('the chart and docker-compose.yml run the same commands', () => {
  for (const service of ['worker', 'migrate']) {
    const [, command] = /command: (\[.*\])/.exec(readBlock(compose, `  ${service}:`));
    assert.ok(templates[`${service}.yaml`].includes(`command: ${command}`), service);
  }
  assert.ok(
    !templates['backend.yaml'].includes('command: [node'),
    'the chart overrides the command of the image',
  );
});

test('the ports of the chart are those on which the processes listen', () => {
  assert.match(read('Dockerfile.backend'), /EXPOSE 3000/);
  assert.match(templates['backend.yaml'], /containerPort: 3000/);
  assert.match(templates['frontend.yaml'], /containerPort: 8080/);
});

test('the chart and docker-compose.yml probe the health of the processes', () => {
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
