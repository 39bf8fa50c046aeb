// Renders the chart with Helm and validates every manifest strictly. Part of `npm run test:optional`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { resolveInRepository } from '../local/paths.mjs';

const { HELM_PATH: helm, KUBERNETES_VALIDATE_PATH: validator } = process.env;
const chart = resolveInRepository('deploy/helm/thaw');
/** The sets of example values, each a file of this name in the folder `ci` of the chart. */
const valueSets = fs.readdirSync(path.join(chart, 'ci')).map((name) => name.replace('.yaml', ''));
/** The oldest and the newest version whose schemas the validator includes. */
const KUBERNETES_VERSIONS = ['1.32.0', '1.37.0'];
/** The version is set because a Helm built by `go install` has no default version of Kubernetes. */
const RENDER_ARGS = ['template', 'chat', chart, '--kube-version', KUBERNETES_VERSIONS[0]];

/** Runs a program. In the result, `output` is what it wrote to stdout and stderr. */
const run = (command, args) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 });
  if (error) throw error;
  return { status, stdout, output: stdout + stderr };
};
const createValuesArgs = (valueSet) => ['--values', path.join(chart, 'ci', `${valueSet}.yaml`)];
/**
 * Renders the manifests for a set of values.
 * @returns {Map<string, string>} the documents by kind and name, such as `Service chat`
 */
const renderDocuments = (valueSet) => {
  const { status, stdout, output } = run(helm, [
    ...RENDER_ARGS,
    '--namespace',
    'people',
    ...createValuesArgs(valueSet),
  ]);
  assert.equal(status, 0, output);
  const documents = new Map();
  for (const text of stdout.split(/^---$/m)) {
    const kind = /^kind: (\S+)$/m.exec(text)?.[1];
    const name = /^ {2}name: (\S+)$/m.exec(text)?.[1];
    if (kind) documents.set(`${kind} ${name}`, text);
  }
  return documents;
};
/** Creates a folder that is deleted after the test. */
const createTemporaryFolder = (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-chart-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
};

// Without any set, the loop below would run no tests, and nothing would fail.
test('there are three sets of values', () => assert.equal(valueSets.length, 3));

for (const valueSet of valueSets) {
  test(`${valueSet}: helm lint reports no problem`, () => {
    const { status, output } = run(helm, ['lint', '--strict', chart, ...createValuesArgs(valueSet)]);
    assert.equal(status, 0, output);
  });

  for (const version of KUBERNETES_VERSIONS) {
    test(`${valueSet}: every manifest is valid for Kubernetes ${version}, without unknown fields`, (t) => {
      const folder = createTemporaryFolder(t);
      const documents = renderDocuments(valueSet);
      // Each set renders at least 12 documents; fewer would mean that the text was not split correctly.
      assert.ok(documents.size >= 12, [...documents.keys()].join(', '));
      const files = [...documents.values()].map((text, index) => {
        const file = path.join(folder, `${index}.yaml`);
        fs.writeFileSync(file, text);
        return file;
      });
      const { status, output } = run(validator, ['--strict', '-k', version, ...files]);
      assert.equal(status, 0, output);
    });
  }
}

test('a manifest with an unknown field is not valid', (t) => {
  const file = path.join(createTemporaryFolder(t), 'wrong.yaml');
  const service = renderDocuments('aws').get('Service chat');
  fs.writeFileSync(file, service.replace('  ports:', '  portz:'));
  assert.notEqual(run(validator, ['--strict', '-k', KUBERNETES_VERSIONS[0], file]).status, 0);
});

test('workers and migrations may run a newer release than the backend', () => {
  // The set `aws` gives the tag 1.2.3 to workers, and with them to migrations, and 1.2.2 to the backend.
  const documents = renderDocuments('aws');
  assert.match(documents.get('Deployment chat-worker'), /image: thaw-backend:1\.2\.3$/m);
  assert.match(documents.get('Job chat-migrate'), /image: thaw-backend:1\.2\.3$/m);
  assert.match(documents.get('Deployment chat-backend'), /image: thaw-backend:1\.2\.2$/m);
});

test('a Secret is created unless the values name an existing one', () => {
  assert.ok(renderDocuments('own-secret').has('Secret chat-secrets'));
  const documents = renderDocuments('production');
  assert.ok(![...documents.keys()].some((name) => name.startsWith('Secret ')));
  assert.match(documents.get('Deployment chat-backend'), /secretName: thaw$/m);
});

test('workers get no secrets that only the backend needs', () => {
  const documents = renderDocuments('production');
  assert.match(documents.get('Deployment chat-backend'), /SUGGESTIONS_API_KEY_FILE/);
  assert.doesNotMatch(
    documents.get('Deployment chat-worker'),
    /SESSION_SECRET|session-secret|suggestions-api-key/,
  );
});

test('the number of replicas is set by the autoscaler, or is fixed without one', () => {
  const scaled = renderDocuments('production');
  assert.ok(scaled.has('HorizontalPodAutoscaler chat-backend'));
  assert.doesNotMatch(scaled.get('Deployment chat-backend'), /^ {2}replicas:/m);
  const fixed = renderDocuments('own-secret');
  assert.ok(!fixed.has('HorizontalPodAutoscaler chat-backend'));
  assert.match(fixed.get('Deployment chat-backend'), /^ {2}replicas: 2$/m);
});

test('incomplete values are refused with a message that names the missing value', () => {
  for (const [overrides, message] of [
    [['--set', 'storage.existingClaim='], 'Give storage.s3.endpoint'],
    [['--set', 'secrets.redis-url='], 'Give existingSecret, or secrets.redis-url'],
    [['--set', 'ingress.enabled=true'], 'Give ingress.host'],
  ]) {
    const { status, output } = run(helm, [...RENDER_ARGS, ...createValuesArgs('own-secret'), ...overrides]);
    assert.notEqual(status, 0);
    assert.match(output, new RegExp(message));
  }
});
