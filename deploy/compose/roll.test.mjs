import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';

// Runs the real scripts. `docker` is a stand-in that records its arguments, so no engine is needed.

const here = path.dirname(fileURLToPath(import.meta.url));
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-roll-'));
const SCALE_UP = 'compose up -d --no-deps --no-recreate --wait --scale';
const UPDATE_FRONTEND = 'compose up -d --no-deps --wait frontend';
const RUN_SECRETS = 'compose run --rm --no-deps secrets';
const RUN_MIGRATE = 'compose run --rm --no-deps migrate';
const RUN_DRAIN = 'exec worker-1 node --enable-source-maps backend/dist/main.migrate.js --drain';

fs.symlinkSync(path.join(here, 'testing/docker-stand-in.mjs'), path.join(home, 'docker'));
after(() => fs.rmSync(home, { recursive: true }));

/**
 * Runs a script with one worker and two replicas.
 * @param {{failingCommand?: string, missingService?: string}} options  `failingCommand`: part of the docker command
 *   that fails; `missingService`: a service without a running container
 * @returns its result, the docker commands without `compose ps` and `rm`, and the containers that run afterwards
 */
function run(script, args = [], { failingCommand, missingService } = {}) {
  const file = path.join(home, 'state.json');
  const running = [
    { id: 'worker-1', service: 'worker' },
    { id: 'backend-1', service: 'backend' },
    { id: 'backend-2', service: 'backend' },
  ].filter(({ service }) => service !== missingService);
  fs.writeFileSync(file, JSON.stringify({ calls: [], running, createdCount: 0, failingCommand }));
  const env = { ...process.env, PATH: `${home}:${process.env.PATH}`, STAND_IN_STATE: file };
  const { status, stderr } = spawnSync('sh', [path.join(here, script), ...args], { env, encoding: 'utf8' });
  const { calls, running: runningAfterwards } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return {
    status,
    stderr,
    calls: calls.filter((call) => !/^(compose ps|rm) /.test(call)),
    running: runningAfterwards.map(({ id }) => id).sort(),
  };
}

/** Creates the docker commands that replace these containers one after the other. */
const createReplacementCalls = (service, ids) =>
  ids.flatMap((id) => [`${SCALE_UP} ${service}=${ids.length + 1} ${service}`, `stop ${id}`]);

suite('roll.sh', () => {
  test('a roll migrates, then replaces workers, replicas and the frontend, in this order', () => {
    const { status, calls, running } = run('roll.sh');
    assert.equal(status, 0);
    assert.deepEqual(calls, [
      RUN_SECRETS,
      RUN_MIGRATE,
      ...createReplacementCalls('worker', ['worker-1']),
      ...createReplacementCalls('backend', ['backend-1', 'backend-2']),
      UPDATE_FRONTEND,
    ]);
    // The stand-in numbers the containers in the order of their creation.
    assert.deepEqual(running, ['backend-new-2', 'backend-new-3', 'worker-new-1']);
  });

  test('a rollback replaces the frontend, replicas and workers in the opposite order, and keeps the schema', () => {
    const { status, calls } = run('roll.sh', ['--back']);
    assert.equal(status, 0);
    assert.deepEqual(calls, [
      UPDATE_FRONTEND,
      ...createReplacementCalls('backend', ['backend-1', 'backend-2']),
      ...createReplacementCalls('worker', ['worker-1']),
    ]);
  });

  test('a roll of a named service replaces only that service', () => {
    assert.deepEqual(run('roll.sh', ['worker']).calls, createReplacementCalls('worker', ['worker-1']));
    assert.deepEqual(run('roll.sh', ['frontend']).calls, [UPDATE_FRONTEND]);
  });

  test('a roll replaces no container after a failed migration', () => {
    const { status, calls, running } = run('roll.sh', [], { failingCommand: 'migrate' });
    assert.notEqual(status, 0);
    assert.deepEqual(calls, [RUN_SECRETS, RUN_MIGRATE]);
    assert.deepEqual(running, ['backend-1', 'backend-2', 'worker-1']);
  });

  test('a roll replaces no container when the new worker does not become ready', () => {
    const { status, running } = run('roll.sh', [], { failingCommand: '--scale worker=2' });
    assert.notEqual(status, 0);
    assert.deepEqual(running, ['backend-1', 'backend-2', 'worker-1']);
  });

  test('an unknown option and a service that is not running are refused', () => {
    assert.deepEqual(run('roll.sh', ['--forwards']).calls, []);
    assert.equal(run('roll.sh', ['--forwards']).status, 2);
    assert.match(run('roll.sh', ['worker'], { missingService: 'worker' }).stderr, /No worker is running/);
  });
});

suite('drain-and-start.sh', () => {
  test('Redis is drained after the replicas stop and before the workers stop', () => {
    const { status, calls } = run('drain-and-start.sh');
    assert.equal(status, 0);
    assert.deepEqual(calls, [
      'compose stop backend',
      RUN_DRAIN,
      'compose stop worker',
      RUN_SECRETS,
      RUN_MIGRATE,
      'compose up -d --no-deps --wait --scale worker=1 worker',
      'compose up -d --no-deps --wait --scale backend=2 backend',
      UPDATE_FRONTEND,
    ]);
  });

  test('the replicas of the current release start again when Redis cannot be drained', () => {
    const { status, calls, stderr } = run('drain-and-start.sh', [], { failingCommand: '--drain' });
    assert.equal(status, 1);
    assert.deepEqual(calls, ['compose stop backend', RUN_DRAIN, 'compose start backend']);
    assert.match(stderr, /nothing was deleted/);
  });

  test('the script changes nothing without a running worker, because a worker drains Redis', () => {
    const { status, calls } = run('drain-and-start.sh', [], { missingService: 'worker' });
    assert.equal(status, 1);
    assert.deepEqual(calls, []);
  });
});
