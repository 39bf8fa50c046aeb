import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import test from 'node:test';
import { inRepository } from './places.mjs';
import { freePorts } from './processes/ports.mjs';
import { isRunning } from './processes/process-identity.mjs';
import { launch, launchScript, recorded, temporaryHome, until } from './testing/launcher.mjs';

// Real: the launcher as a process, PostgreSQL, Redis, nginx, signals. Stand-ins: the processes of the product.

test('the launcher serves the page, restarts processes that die, and leaves none running after Ctrl-C', async (t) => {
  const home = temporaryHome(t);
  const [port] = await freePorts(1);
  const launcher = launch({ home, port });
  await launcher.says(`\nhttp://localhost:${port}\n`);
  const { env, pid } = await getJson(port, '/');

  assert.equal(env.LIMITS_PROFILE, 'load');
  assert.equal(env.TRUST_PROXY, '0');
  assert.deepEqual([env.HOST, env.INTERNAL_HOST, env.API_DOCS], ['127.0.0.1', '127.0.0.1', undefined]);
  assert.match(env.DATABASE_URL, /^postgresql:\/\/thaw_service:.+@127\.0\.0\.1:\d+\/thaw$/);
  assert.ok(env.PUBLIC_DIR && env.SESSION_SECRET_FILE.startsWith(home));

  process.kill(pid, 'SIGKILL');
  await until(async () => (await getJson(port, '/').catch(() => ({ pid }))).pid !== pid);
  await launcher.says('api-1 ended (ended by SIGKILL) and is started again');

  const { redis, postgresql } = recorded(home);
  process.kill(redis.pid, 'SIGKILL');
  process.kill(postgresql.pid, 'SIGKILL');
  const isAnother = (name, than) => ![undefined, than.pid].includes(recorded(home)[name]?.pid);
  await until(() => isAnother('redis', redis) && isAnother('postgresql', postgresql));

  const before = Object.values(recorded(home));
  assert.equal(before.length, 4);
  launcher.child.kill('SIGINT');
  assert.deepEqual(await launcher.ended(), { code: 0, signal: null });
  assert.deepEqual(before.filter(isRunning), []);
  assert.deepEqual(recorded(home), {});
});

test('the launcher puts nginx in front of several replicas', async (t) => {
  const home = temporaryHome(t);
  const [port] = await freePorts(1);
  const launcher = launch({ home, port, replicas: 2 });
  await launcher.says(`\nhttp://localhost:${port}\n`);

  const seen = await getJson(port, '/api/who', { 'X-Forwarded-For': '9.9.9.9' });
  assert.equal(seen.headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(seen.headers.host, `localhost:${port}`);
  assert.equal(seen.env.TRUST_PROXY, '1');
  assert.deepEqual([seen.env.HOST, seen.env.INTERNAL_HOST], ['127.0.0.1', '127.0.0.1']);
  assert.equal(seen.env.API_DOCS, 'off');

  // nginx skips the dead replica until it has been restarted.
  process.kill(seen.pid, 'SIGKILL');
  for (let request = 0; request < 10; request += 1) assert.ok((await getJson(port, '/api/who')).pid);
  await until(async () => Object.keys(recorded(home)).length === 6);

  const tooLarge = await request(port, {
    path: '/api/upload',
    method: 'POST',
    headers: { 'Content-Length': 7_000_000 },
  });
  assert.equal(tooLarge.status, 413);
  assert.equal(JSON.parse(tooLarge.body).code, 'too_large');

  launcher.child.kill('SIGTERM');
  assert.equal((await launcher.ended()).code, 0);
  assert.deepEqual(recorded(home), {});
});

test('a launcher takes over the stores and ends the processes that a killed launcher left behind', async (t) => {
  const home = temporaryHome(t);
  const [port] = await freePorts(1);
  const killed = launch({ home, port });
  await killed.says('http://localhost');
  const left = recorded(home);
  killed.child.kill('SIGKILL');
  await killed.ended();
  assert.ok(Object.values(left).every(isRunning), 'this test needs leftovers');

  // The replica left behind still holds the port of the page.
  const next = launch({ home, port });
  await next.says(`http://localhost:${port}`);
  assert.ok(!isRunning(left['api-1']) && !isRunning(left['worker-1']), 'the old replica and worker are gone');
  assert.equal(recorded(home).postgresql.pid, left.postgresql.pid, 'a store that still runs is used again');
  next.child.kill('SIGINT');
  assert.equal((await next.ended()).code, 0);
  assert.deepEqual(Object.values(left).filter(isRunning), []);
});

test('a second Ctrl-C kills all processes at once', async (t) => {
  const home = temporaryHome(t);
  const [port] = await freePorts(1);
  const launcher = launch({ home, port, workerRole: 'stubborn' });
  await launcher.says('http://localhost');
  const before = Object.values(recorded(home));
  launcher.child.kill('SIGINT');
  // npm forwards the terminal's Ctrl-C at once as a second signal, which must not count.
  launcher.child.kill('SIGINT');
  await launcher.says('stopping');
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(launcher.child.exitCode, null, 'the worker takes its time, so the launcher still waits');
  launcher.child.kill('SIGINT');
  assert.equal((await launcher.ended()).code, 1);
  await until(() => !before.some(isRunning));
});

test('the launcher exits with one sentence when the port is taken', async (t) => {
  const home = temporaryHome(t);
  const [port] = await freePorts(1);
  const taker = net.createServer().listen(port, '127.0.0.1');
  t.after(() => taker.close());
  const launcher = launch({ home, port });
  assert.equal((await launcher.ended()).code, 1);
  assert.match(
    launcher.output,
    new RegExp(`\nPort ${port} is taken .*: choose another one, .*--port \\d+\n$`),
  );
  assert.deepEqual(recorded(home), {});
});

test('the launcher prints the last log lines of a process that cannot start, and leaves none running', async (t) => {
  const home = temporaryHome(t);
  const [port] = await freePorts(1);
  const launcher = launch({ home, port, workerRole: 'broken' });
  assert.equal((await launcher.ended()).code, 1);
  assert.match(
    launcher.output,
    /worker-1 did not start: exit code 7\..*\nthe stand-in is broken on purpose\n$/,
  );
  assert.deepEqual(recorded(home), {});
});

test('the launcher uses the given stores, and names the one that does not answer', async (t) => {
  const home = temporaryHome(t);
  const [port, deadPort] = await freePorts(2);
  const store = net.createServer((socket) => socket.end());
  await new Promise((resolve) => store.listen(0, '127.0.0.1', resolve));
  t.after(() => store.close());
  const env = {
    DATABASE_URL: `postgres://someone:secret@127.0.0.1:${store.address().port}/given`,
    REDIS_URL: `redis://127.0.0.1:${store.address().port}`,
  };
  const launcher = launch({ home, port, env });
  await launcher.says('http://localhost');
  assert.equal((await getJson(port, '/')).env.DATABASE_URL, env.DATABASE_URL);
  assert.deepEqual(Object.keys(recorded(home)).sort(), ['api-1', 'worker-1']);
  launcher.child.kill('SIGINT');
  assert.equal((await launcher.ended()).code, 0);

  const refused = launch({ home, port, env: { ...env, REDIS_URL: `redis://127.0.0.1:${deadPort}` } });
  assert.equal((await refused.ended()).code, 1);
  assert.match(
    refused.output,
    new RegExp(`No Redis answers at 127.0.0.1:${deadPort}, which REDIS_URL names.`),
  );
});

test('the launcher explains options that it does not know', async () => {
  const start = inRepository('deploy/local/start.mjs');
  for (const [args, sentence] of [
    [['--replicas', 'many'], /--replicas must be a whole number/],
    [['--port', '0'], /--port must be a whole number/],
    [['--nonsense'], /Unknown option '--nonsense'.*Usage/],
  ]) {
    const launcher = launchScript(start, args);
    assert.equal((await launcher.ended()).code, 1);
    assert.match(launcher.output, sentence);
  }
});

async function getJson(port, path, headers) {
  const { body } = await request(port, { path, headers });
  return JSON.parse(body);
}

function request(port, { path, method = 'GET', headers }) {
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ host: '127.0.0.1', port, path, method, agent: false });
    for (const [name, value] of Object.entries({ Host: `localhost:${port}`, ...headers }))
      outgoing.setHeader(name, value);
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      let body = '';
      response.on('data', (piece) => (body += piece));
      response.once('end', () => resolve({ status: response.statusCode, body }));
    });
    if (method === 'GET') outgoing.end();
    else outgoing.flushHeaders();
  });
}
