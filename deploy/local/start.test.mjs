import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import test from 'node:test';
import { resolveInRepository } from './paths.mjs';
import { findFreePorts } from './processes/ports.mjs';
import { isRunning } from './processes/process-identity.mjs';
import {
  startLauncher,
  startScript,
  findRunningProcesses,
  createTestHome,
  waitUntil,
} from './testing/launcher.mjs';

// Runs the launcher as a process, with real PostgreSQL, Redis and nginx. The product's processes are stand-ins. The
// stand-in for a replica answers every request with its environment, its pid and the request itself.

test('the launcher serves the page from one replica, and passes the settings for a single replica', async (t) => {
  const { home, port, launcher } = await startAndWait(t);
  const { env } = await getJson(port, '/');
  // By default, a local stack has the wide rate limits for load tests.
  assert.equal(env.LIMITS_PROFILE, 'load');
  assert.equal(env.TRUST_PROXY, '0');
  // Without nginx, API_DOCS is not set, and the replica serves the API docs.
  assert.deepEqual([env.HOST, env.INTERNAL_HOST, env.API_DOCS], ['127.0.0.1', '127.0.0.1', undefined]);
  assert.match(env.DATABASE_URL, /^postgresql:\/\/thaw_service:.+@127\.0\.0\.1:\d+\/thaw$/);
  assert.ok(env.PUBLIC_DIR && env.SESSION_SECRET_FILE.startsWith(home));
  await stop(launcher);
});

test('the launcher restarts processes that die, and leaves no process running after Ctrl-C', async (t) => {
  const { home, port, launcher } = await startAndWait(t);

  const { pid } = await getJson(port, '/');
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => {
    // Requests fail while no replica listens.
    const response = await getJson(port, '/').catch(() => undefined);
    return response !== undefined && response.pid !== pid;
  });
  await launcher.waitForOutput('api-1 ended (ended by SIGKILL) and is restarted');

  const { redis, postgresql } = findRunningProcesses(home);
  process.kill(redis.pid, 'SIGKILL');
  process.kill(postgresql.pid, 'SIGKILL');
  const isRestarted = (name, killed) => {
    const current = findRunningProcesses(home)[name];
    return current !== undefined && current.pid !== killed.pid;
  };
  await waitUntil(() => isRestarted('redis', redis) && isRestarted('postgresql', postgresql));

  const runningBefore = findRunningProcesses(home);
  assert.deepEqual(Object.keys(runningBefore).sort(), ['api-1', 'postgresql', 'redis', 'worker-1']);
  // Ctrl-C sends SIGINT.
  launcher.child.kill('SIGINT');
  assert.deepEqual(await launcher.waitForExit(), { code: 0, signal: null });
  assert.deepEqual(Object.values(runningBefore).filter(isRunning), []);
  assert.deepEqual(findRunningProcesses(home), {});
});

test('the launcher puts nginx in front of several replicas, and passes matching settings to them', async (t) => {
  const { home, port, launcher } = await startAndWait(t, { replicas: 2 });
  const received = await getJson(port, '/api/who', { 'X-Forwarded-For': '9.9.9.9' });
  assert.equal(received.headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(received.headers.host, `localhost:${port}`);
  assert.equal(received.env.TRUST_PROXY, '1');
  assert.deepEqual([received.env.HOST, received.env.INTERNAL_HOST], ['127.0.0.1', '127.0.0.1']);
  // Behind nginx, replicas serve no API docs by default.
  assert.equal(received.env.API_DOCS, 'off');
  await stop(launcher, 'SIGTERM');
  assert.deepEqual(findRunningProcesses(home), {});
});

test('nginx skips a dead replica until its restart, and refuses bodies of more than 6 MB', async (t) => {
  const { home, port, launcher } = await startAndWait(t, { replicas: 2 });
  const { pid } = await getJson(port, '/api/who');
  process.kill(pid, 'SIGKILL');
  for (let count = 0; count < 10; count += 1) assert.ok((await getJson(port, '/api/who')).pid);
  // Two replicas, a worker, nginx, PostgreSQL and Redis.
  await waitUntil(() => Object.keys(findRunningProcesses(home)).length === 6);

  const tooLarge = await request(port, {
    path: '/api/upload',
    method: 'POST',
    headers: { 'Content-Length': 7_000_000 },
  });
  assert.equal(tooLarge.status, 413);
  assert.equal(JSON.parse(tooLarge.body).code, 'too_large');
  await stop(launcher);
});

test('a launcher takes over the stores and ends the processes that a killed launcher left behind', async (t) => {
  const { home, port, launcher: killedLauncher } = await startAndWait(t);
  const leftovers = findRunningProcesses(home);
  killedLauncher.child.kill('SIGKILL');
  await killedLauncher.waitForExit();
  assert.ok(Object.values(leftovers).every(isRunning), 'the killed launcher leaves its processes running');

  // The replica left behind still holds the port of the page.
  const nextLauncher = startLauncher({ home, port });
  await nextLauncher.waitForOutput(`http://localhost:${port}`);
  assert.ok(
    !isRunning(leftovers['api-1']) && !isRunning(leftovers['worker-1']),
    'the old replica and worker are gone',
  );
  assert.equal(
    findRunningProcesses(home).postgresql.pid,
    leftovers.postgresql.pid,
    'a store that still runs is reused',
  );
  await stop(nextLauncher);
  assert.deepEqual(Object.values(leftovers).filter(isRunning), []);
});

test('a second Ctrl-C kills all processes immediately', async (t) => {
  // A stubborn worker ignores SIGTERM.
  const { home, launcher } = await startAndWait(t, { workerStandIn: 'stubborn' });
  const processes = Object.values(findRunningProcesses(home));
  launcher.child.kill('SIGINT');
  // npm forwards Ctrl-C immediately as a second signal, which must not count as a second key press.
  launcher.child.kill('SIGINT');
  await launcher.waitForOutput('stopping');
  // Longer than the 500 ms within which two signals count as one key press.
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(launcher.child.exitCode, null, 'the launcher waits for the stubborn worker');
  launcher.child.kill('SIGINT');
  assert.equal((await launcher.waitForExit()).code, 1);
  await waitUntil(() => !processes.some(isRunning));
});

test('the launcher prints one sentence and exits when the port is taken', async (t) => {
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  const portHolder = net.createServer().listen(port, '127.0.0.1');
  t.after(() => portHolder.close());
  const launcher = startLauncher({ home, port });
  assert.equal((await launcher.waitForExit()).code, 1);
  assert.match(
    launcher.output,
    new RegExp(`\nPort ${port} is taken .*: choose another one, .*--port \\d+\n$`),
  );
  assert.deepEqual(findRunningProcesses(home), {});
});

test('the launcher prints the last log lines of a process that cannot start, and leaves no process running', async (t) => {
  // A broken worker prints an error and exits immediately.
  const { home, launcher } = await start(t, { workerStandIn: 'broken' });
  assert.equal((await launcher.waitForExit()).code, 1);
  assert.match(
    launcher.output,
    /worker-1 did not start: exit code 7\..*\nthe stand-in is broken on purpose\n$/,
  );
  assert.deepEqual(findRunningProcesses(home), {});
});

test('the launcher uses the stores of DATABASE_URL and REDIS_URL, and starts none of its own', async (t) => {
  const env = await startStandInStores(t);
  const { home, port, launcher } = await startAndWait(t, { env });
  assert.equal((await getJson(port, '/')).env.DATABASE_URL, env.DATABASE_URL);
  assert.deepEqual(Object.keys(findRunningProcesses(home)).sort(), ['api-1', 'worker-1']);
  await stop(launcher);
});

test('the launcher names a store that it cannot reach', async (t) => {
  const home = createTestHome(t);
  const [port, unusedPort] = await findFreePorts(2);
  const { DATABASE_URL } = await startStandInStores(t);
  const env = { DATABASE_URL, REDIS_URL: `redis://127.0.0.1:${unusedPort}` };
  const launcher = startLauncher({ home, port, env });
  assert.equal((await launcher.waitForExit()).code, 1);
  assert.match(
    launcher.output,
    new RegExp(`No Redis answers at 127.0.0.1:${unusedPort}, which REDIS_URL names.`),
  );
});

test('the launcher explains unknown options and invalid values', async () => {
  const script = resolveInRepository('deploy/local/start.mjs');
  for (const [args, sentence] of [
    [['--replicas', 'many'], /--replicas must be a whole number/],
    [['--port', '0'], /--port must be a whole number/],
    [['--nonsense'], /Unknown option '--nonsense'.*Usage/],
  ]) {
    const launcher = startScript(script, args);
    assert.equal((await launcher.waitForExit()).code, 1);
    assert.match(launcher.output, sentence);
  }
});

/** Starts the launcher in a new home. `options` are further ones of `startLauncher`. */
async function start(t, options) {
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  return { home, port, launcher: startLauncher({ home, port, ...options }) };
}

/** Like `start`, but waits until the page is served. */
async function startAndWait(t, options) {
  const started = await start(t, options);
  await started.launcher.waitForOutput(`\nhttp://localhost:${started.port}\n`);
  return started;
}

/** Stops the launcher, by default as Ctrl-C does, and expects that it exits without an error. */
async function stop(launcher, signal = 'SIGINT') {
  launcher.child.kill(signal);
  assert.equal((await launcher.waitForExit()).code, 0);
}

/** Starts a server that stands in for both stores: the launcher checks only that a store accepts connections. */
async function startStandInStores(t) {
  const server = net.createServer((socket) => socket.end());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address();
  return {
    DATABASE_URL: `postgres://someone:secret@127.0.0.1:${port}/given`,
    REDIS_URL: `redis://127.0.0.1:${port}`,
  };
}

async function getJson(port, path, headers) {
  const { body } = await request(port, { path, headers });
  return JSON.parse(body);
}

/** Sends a request. A POST sends only headers: nginx refuses it because of its `Content-Length`. */
function request(port, { path, method = 'GET', headers }) {
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ host: '127.0.0.1', port, path, method, agent: false });
    for (const [name, value] of Object.entries({ Host: `localhost:${port}`, ...headers }))
      outgoing.setHeader(name, value);
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode, body }));
    });
    if (method === 'GET') outgoing.end();
    else outgoing.flushHeaders();
  });
}
