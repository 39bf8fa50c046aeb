// Runs the load scripts with k6 itself against three replicas behind nginx. Part of `npm run test:optional`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import test, { after, before } from 'node:test';
import { startStack } from '../local/thaw-stack.mjs';
import { resolveInRepository } from '../local/paths.mjs';

const { K6_PATH: k6 } = process.env; // set by `npm run test:optional`

/**
 * Runs a script, and resolves with its exit code and its output. k6 exits with an error if a threshold was crossed.
 */
const runScript = (script, env = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(k6, ['run', '--quiet', resolveInRepository('deploy', 'k6', script)], {
      env: { ...process.env, ...env },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('exit', (code) => resolve({ code, output }));
  });

const runToSuccess = async (script, env) => {
  const { code, output } = await runScript(script, env);
  assert.equal(code, 0, output);
  return output;
};

let stack;
before(async () => {
  stack = await startStack({ replicas: 3, env: { LIMITS_PROFILE: 'load', REMATCH_COOLDOWN_S: '0' } });
});
after(() => stack?.stop());

test('the load scripts count lost, duplicate and out-of-order events', async () => {
  await runToSuccess('lib/sequence.check.js');
});

test('smoke.js: five users use every feature', async () => {
  await runToSuccess('smoke.js', { BASE_URL: stack.url });
});

test('chat.js: 50 pairs lose no message while two of the three replicas are killed one after the other', async () => {
  const [firstReplica, secondReplica] = stack.replicas;
  // All users chat from second 10, the end of the ramp, to second 70. The launcher restarts the killed replicas.
  const killTimers = [
    setTimeout(() => firstReplica.kill(), 25_000),
    setTimeout(() => secondReplica.kill(), 45_000),
  ];
  try {
    await runToSuccess('chat.js', {
      BASE_URL: stack.url,
      PEOPLE: '100',
      RAMP: '10s',
      DURATION: '60s',
      CHAT: '20s', // duration of a chat
      DISRUPTED: 'on', // commands may be refused with `unavailable`
    });
  } finally {
    for (const timer of killTimers) clearTimeout(timer);
  }
});

test('matching.js: users with every preference are matched', async () => {
  await runToSuccess('matching.js', { BASE_URL: stack.url, DURATION: '20s', RAMP: '5s' });
});

test('private.js: friends lose no private message', async () => {
  await runToSuccess('private.js', { BASE_URL: stack.url, PEOPLE: '20', RAMP: '5s', DURATION: '20s' });
});

test('storm.js: 500 users who lose their sockets simultaneously return to their chats', async () => {
  await runToSuccess('storm.js', { BASE_URL: stack.url, PEOPLE: '500', ROUNDS: '2' });
});

test('a script fails if the server is unreachable', async () => {
  // No server listens on this port.
  const { code } = await runScript('smoke.js', { BASE_URL: 'http://127.0.0.1:9' });
  assert.notEqual(code, 0);
});
