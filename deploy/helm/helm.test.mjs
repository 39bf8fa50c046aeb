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
const sets = fs.readdirSync(path.join(chart, 'ci')).map((name) => name.replace('.yaml', ''));
/** The oldest and the newest version whose schemas the validator includes. */
const KUBERNETES_VERSIONS = ['1.32.0', '1.37.0'];
/** The version is set because a Helm built by `go install` has no default version of Kubernetes. */
const renderArgs = () => ['template', 'chat', chart, '--kube-version', KUBERNETES_VERSIONS[0]];

const run = (command, args) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 });
  if (error) throw error;
  return { status, stdout, output: stdout + stderr };
};
const createValuesArguments = (set) => ['--values', path.join(chart, 'ci', `${set}.yaml`)];
const render = (set, ...more) => {
  const { status, stdout, output } = run(helm, [
    ...renderArgs(),
    '--namespace',
    'people',
    ...createValuesArguments(set),
    ...more,
  ]);
  assert.equal(status, 0, output);
  return stdout;
};
/** The rendered documents by kind and name. */
const readDocuments = (rendered) =>
  new Map(
    rendered.split(/^---$/m).flatMap((text) => {
      const kind = /^kind: (\S+)$/m.exec(text)?.[1];
      return kind ? [[`${kind} ${/^ {2}name: (\S+)$/m.exec(text)?.[1]}`, text]] : [];
    }),
  );

test('there are three sets of values', () => assert.equal(sets.length, 3));

for (const set of sets) {
  test(`${set}: helm lint reports no problem`, () => {
    const { status, output } = run(helm, ['lint', '--strict', chart, ...createValuesArguments(set)]);
    assert.equal(status, 0, output);
  });

  for (const version of KUBERNETES_VERSIONS) {
    test(`${set}: every manifest is valid for Kubernetes ${version}, without unknown fields`, (t) => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-chart-'));
      t.after(() => fs.rmSync(folder, { recursive: true }));
      const documents = readDocuments(render(set));
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
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-chart-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'wrong.yaml');
  const service = readDocuments(render('aws')).get('Service chat');
  fs.writeFileSync(file, service.replace('  ports:', '  portz:'));
  assert.notEqual(run(validator, ['--strict', '-k', KUBERNETES_VERSIONS[0], file]).status, 0);
});

test('workers and migrations may run a newer release than replicas', () => {
  const documents = readDocuments(render('aws'));
  assert.match(documents.get('Deployment chat-worker'), /image: thaw-backend:1\.2\.3$/m);
  assert.match(documents.get('Job chat-migrate'), /image: thaw-backend:1\.2\.3$/m);
  assert.match(documents.get('Deployment chat-backend'), /image: thaw-backend:1\.2\.2$/m);
});

test('the chart creates the Secret from values, or uses the existing Secret of the operator', () => {
  assert.ok(readDocuments(render('own-secret')).has('Secret chat-secrets'));
  const documents = readDocuments(render('production'));
  assert.ok(![...documents.keys()].some((name) => name.startsWith('Secret ')));
  assert.match(documents.get('Deployment chat-backend'), /secretName: thaw$/m);
  assert.match(documents.get('Deployment chat-backend'), /SUGGESTIONS_API_KEY_FILE/);
  assert.doesNotMatch(
    documents.get('Deployment chat-worker'),
    /SESSION_SECRET|session-secret|suggestions-api-key/,
  );
});

test('the number of replicas is set by the autoscaler, or is fixed without one', () => {
  const scaled = readDocuments(render('production'));
  assert.ok(scaled.has('HorizontalPodAutoscaler chat-backend'));
  assert.doesNotMatch(scaled.get('Deployment chat-backend'), /^ {2}replicas:/m);
  const fixed = readDocuments(render('own-secret'));
  assert.ok(!fixed.has('HorizontalPodAutoscaler chat-backend'));
  assert.match(fixed.get('Deployment chat-backend'), /^ {2}replicas: 2$/m);
});

test('incomplete values are refused with a message that names the missing value', () => {
  for (const [more, message] of [
    [['--set', 'storage.existingClaim='], 'Give storage.s3.endpoint'],
    [['--set', 'secrets.redis-url='], 'Give existingSecret, or secrets.redis-url'],
    [['--set', 'ingress.enabled=true'], 'Give ingress.host'],
  ]) {
    const { status, output } = run(helm, [...renderArgs(), ...createValuesArguments('own-secret'), ...more]);
    assert.notEqual(status, 0);
    assert.match(output, new RegExp(message));
  }
});
