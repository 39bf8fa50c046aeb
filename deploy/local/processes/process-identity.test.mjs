import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import test from 'node:test';
import { commandLineOf, endProcess, identify, isRunning, signalProcess } from './process-identity.mjs';

const sleeping = (code = '') => spawn(process.execPath, ['-e', `${code}; setInterval(() => {}, 1000)`]);
const STEPS = [
  { signal: 'SIGTERM', waitMs: 300 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

test('an identity does not match a later process with the same pid', async () => {
  const child = sleeping();
  const identity = identify(child.pid);
  assert.ok(isRunning(identity));
  assert.match(commandLineOf(child.pid), /setInterval/);

  const another = { ...identity, startedAt: 'another time' };
  assert.ok(!isRunning(another));
  signalProcess(another, 'SIGKILL');
  await endProcess(another, STEPS);
  assert.ok(isRunning(identity), 'a stranger with the pid is not touched');

  await endProcess(identity, STEPS);
  assert.ok(!isRunning(identity));
  signalProcess(identity, 'SIGKILL');
});

test('a process that ignores SIGTERM is killed', async () => {
  const child = sleeping("process.on('SIGTERM', () => {}); console.log('ready')");
  const identity = identify(child.pid);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await endProcess(identity, STEPS);
  assert.equal(
    child.signalCode ?? (await new Promise((resolve) => child.once('exit', (_, by) => resolve(by)))),
    'SIGKILL',
  );
});

test('ending a process that does not exist is no error', async () => {
  assert.equal(identify(2 ** 22 + 1), undefined);
  assert.equal(isRunning(undefined), false);
  await endProcess(undefined, STEPS);
});
