import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';

// Runs the real shell scripts. `docker` is a stand-in that records its arguments and simulates the containers.

const here = path.dirname(fileURLToPath(import.meta.url));
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-roll-'));

// The docker commands of the scripts, without the word `docker`.
const UPDATE_FRONTEND = 'compose up -d --no-deps --wait frontend';
const RUN_SECRETS = 'compose run --rm --no-deps secrets';
const RUN_MIGRATE = 'compose run --rm --no-deps migrate';
const RUN_DRAIN = 'exec worker-1 node --enable-source-maps backend/dist/main.migrate.js --drain';
/** Starts the given number of containers from the new image. */
const createStartCall = (service, count) =>
  `compose up -d --no-deps --wait --scale ${service}=${count} ${service}`;
/** Starts containers from the new image until there are `count`. The old ones keep running. */
const createScaleUpCall = (service, count) =>
  `compose up -d --no-deps --no-recreate --wait --scale ${service}=${count} ${service}`;
/** Replaces containers one by one: starts one more from the new image, then stops an old one. */
const createReplacementCalls = (service, ids) =>
  ids.flatMap((id) => [createScaleUpCall(service, ids.length + 1), `stop ${id}`]);

fs.symlinkSync(path.join(here, 'testing/docker-stand-in.mjs'), path.join(home, 'docker'));
after(() => fs.rmSync(home, { recursive: true }));

/**
 * Runs a script with one worker and two replicas.
 * @param {{failingCommand?: string, missingService?: string}} options  `failingCommand`: part of the docker command
 *   that fails; `missingService`: a service without a running container
 * @returns its result, the docker commands except queries (`compose ps`) and removals of stopped containers (`rm`), and
 *   the ids of the containers that run afterwards
 */
function run(script, args = [], { failingCommand, missingService } = {}) {
  const stateFile = path.join(home, 'state.json');
  const running = [
    { id: 'worker-1', service: 'worker' },
    { id: 'backend-1', service: 'backend' },
    { id: 'backend-2', service: 'backend' },
  ].filter(({ service }) => service !== missingService);
  fs.writeFileSync(stateFile, JSON.stringify({ calls: [], running, createdCount: 0, failingCommand }));
  const env = { ...process.env, PATH: `${home}:${process.env.PATH}`, STAND_IN_STATE: stateFile };
  const { status, stderr } = spawnSync('sh', [path.join(here, script), ...args], { env, encoding: 'utf8' });
  const { calls, running: runningAfterwards } = JSON.parse(fs.readFileSync(stateFile, 'utf8'));
  return {
    status,
    stderr,
    calls: calls.filter((call) => !/^(compose ps|rm) /.test(call)),
    running: runningAfterwards.map(({ id }) => id).sort(),
  };
}

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
    // The stand-in numbers the new containers in the order of their creation: the worker is the first one.
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

  test('an unknown option is refused without an effect', () => {
    const { status, calls } = run('roll.sh', ['--forwards']);
    assert.equal(status, 2);
    assert.deepEqual(calls, []);
  });

  test('a roll of a service without a running container is refused', () => {
    const { stderr } = run('roll.sh', ['worker'], { missingService: 'worker' });
    assert.match(stderr, /No worker is running/);
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
      createStartCall('worker', 1),
      createStartCall('backend', 2),
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
