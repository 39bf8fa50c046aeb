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

// Runs the launcher as a process, with real PostgreSQL, Redis and nginx. The product's processes are stand-ins.

test('the launcher serves the page, restarts processes that die, and leaves no process running after Ctrl-C', async (t) => {
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  const launcher = startLauncher({ home, port });
  await launcher.waitForOutput(`\nhttp://localhost:${port}\n`);
  // A stand-in answers every request with its environment, its pid and the request itself.
  const { env, pid } = await getJson(port, '/');

  assert.equal(env.LIMITS_PROFILE, 'load');
  assert.equal(env.TRUST_PROXY, '0');
  // Without nginx, API_DOCS is not set, and the replica serves the API docs.
  assert.deepEqual([env.HOST, env.INTERNAL_HOST, env.API_DOCS], ['127.0.0.1', '127.0.0.1', undefined]);
  assert.match(env.DATABASE_URL, /^postgresql:\/\/thaw_service:.+@127\.0\.0\.1:\d+\/thaw$/);
  assert.ok(env.PUBLIC_DIR && env.SESSION_SECRET_FILE.startsWith(home));

  process.kill(pid, 'SIGKILL');
  // A request that fails while no replica listens counts as a response of the killed process.
  await waitUntil(async () => (await getJson(port, '/').catch(() => ({ pid }))).pid !== pid);
  await launcher.waitForOutput('api-1 ended (ended by SIGKILL) and is restarted');

  const { redis, postgresql } = findRunningProcesses(home);
  process.kill(redis.pid, 'SIGKILL');
  process.kill(postgresql.pid, 'SIGKILL');
  const runsAgain = (name, killed) => {
    const current = findRunningProcesses(home)[name];
    return current !== undefined && current.pid !== killed.pid;
  };
  await waitUntil(() => runsAgain('redis', redis) && runsAgain('postgresql', postgresql));

  const runningBefore = findRunningProcesses(home);
  assert.deepEqual(Object.keys(runningBefore).sort(), ['api-1', 'postgresql', 'redis', 'worker-1']);
  // Ctrl-C sends SIGINT.
  launcher.child.kill('SIGINT');
  assert.deepEqual(await launcher.waitForExit(), { code: 0, signal: null });
  assert.deepEqual(Object.values(runningBefore).filter(isRunning), []);
  assert.deepEqual(findRunningProcesses(home), {});
});

test('the launcher puts nginx in front of several replicas', async (t) => {
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  const launcher = startLauncher({ home, port, replicas: 2 });
  await launcher.waitForOutput(`\nhttp://localhost:${port}\n`);

  const received = await getJson(port, '/api/who', { 'X-Forwarded-For': '9.9.9.9' });
  assert.equal(received.headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(received.headers.host, `localhost:${port}`);
  assert.equal(received.env.TRUST_PROXY, '1');
  assert.deepEqual([received.env.HOST, received.env.INTERNAL_HOST], ['127.0.0.1', '127.0.0.1']);
  // Behind nginx, replicas serve no API docs by default.
  assert.equal(received.env.API_DOCS, 'off');

  // nginx skips the dead replica until it has been restarted.
  process.kill(received.pid, 'SIGKILL');
  for (let count = 0; count < 10; count += 1) assert.ok((await getJson(port, '/api/who')).pid);
  // Two replicas, a worker, nginx, PostgreSQL and Redis.
  await waitUntil(() => Object.keys(findRunningProcesses(home)).length === 6);

  // nginx accepts bodies of up to 6 MB.
  const tooLarge = await request(port, {
    path: '/api/upload',
    method: 'POST',
    headers: { 'Content-Length': 7_000_000 },
  });
  assert.equal(tooLarge.status, 413);
  assert.equal(JSON.parse(tooLarge.body).code, 'too_large');

  launcher.child.kill('SIGTERM');
  assert.equal((await launcher.waitForExit()).code, 0);
  assert.deepEqual(findRunningProcesses(home), {});
});

test('a launcher takes over the stores and ends the processes that a killed launcher left behind', async (t) => {
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  const killedLauncher = startLauncher({ home, port });
  await killedLauncher.waitForOutput('http://localhost');
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
  nextLauncher.child.kill('SIGINT');
  assert.equal((await nextLauncher.waitForExit()).code, 0);
  assert.deepEqual(Object.values(leftovers).filter(isRunning), []);
});

test('a second Ctrl-C kills all processes immediately', async (t) => {
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  // A stubborn worker ignores SIGTERM.
  const launcher = startLauncher({ home, port, workerRole: 'stubborn' });
  await launcher.waitForOutput('http://localhost');
  const runningBefore = Object.values(findRunningProcesses(home));
  launcher.child.kill('SIGINT');
  // npm forwards Ctrl-C immediately as a second signal, which must not count as a second key press.
  launcher.child.kill('SIGINT');
  await launcher.waitForOutput('stopping');
  // Longer than the 500 ms within which two signals count as one key press.
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(launcher.child.exitCode, null, 'the launcher waits for the stubborn worker');
  launcher.child.kill('SIGINT');
  assert.equal((await launcher.waitForExit()).code, 1);
  await waitUntil(() => !runningBefore.some(isRunning));
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
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  // A broken worker prints an error and exits immediately.
  const launcher = startLauncher({ home, port, workerRole: 'broken' });
  assert.equal((await launcher.waitForExit()).code, 1);
  assert.match(
    launcher.output,
    /worker-1 did not start: exit code 7\..*\nthe stand-in is broken on purpose\n$/,
  );
  assert.deepEqual(findRunningProcesses(home), {});
});

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

test('the launcher uses the stores of DATABASE_URL and REDIS_URL, and starts none of its own', async (t) => {
  const home = createTestHome(t);
  const [port] = await findFreePorts(1);
  const env = await startStandInStores(t);
  const launcher = startLauncher({ home, port, env });
  await launcher.waitForOutput('http://localhost');
  assert.equal((await getJson(port, '/')).env.DATABASE_URL, env.DATABASE_URL);
  assert.deepEqual(Object.keys(findRunningProcesses(home)).sort(), ['api-1', 'worker-1']);
  launcher.child.kill('SIGINT');
  assert.equal((await launcher.waitForExit()).code, 0);
});

test('the launcher names a store that it cannot reach', async (t) => {
  const home = createTestHome(t);
  const [port, unusedPort] = await findFreePorts(2);
  const env = { ...(await startStandInStores(t)), REDIS_URL: `redis://127.0.0.1:${unusedPort}` };
  const launcher = startLauncher({ home, port, env });
  assert.equal((await launcher.waitForExit()).code, 1);
  assert.match(
    launcher.output,
    new RegExp(`No Redis answers at 127.0.0.1:${unusedPort}, which REDIS_URL names.`),
  );
});

test('the launcher explains unknown options and invalid values', async () => {
  const start = resolveInRepository('deploy/local/start.mjs');
  for (const [args, sentence] of [
    [['--replicas', 'many'], /--replicas must be a whole number/],
    [['--port', '0'], /--port must be a whole number/],
    [['--nonsense'], /Unknown option '--nonsense'.*Usage/],
  ]) {
    const launcher = startScript(start, args);
    assert.equal((await launcher.waitForExit()).code, 1);
    assert.match(launcher.output, sentence);
  }
});

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
