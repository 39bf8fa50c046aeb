import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import test from 'node:test';
import { readCommandLine, endProcess, identify, isRunning, signalProcess } from './process-identity.mjs';

/** Starts a Node process that runs `code` and then does not exit. */
const spawnSleeper = (code = '') => spawn(process.execPath, ['-e', `${code}; setInterval(() => {}, 1000)`]);
/** The largest pid that Linux can be configured to use is one less than this number. */
const PID_LIMIT = 2 ** 22;
const END_STEPS = [
  { signal: 'SIGTERM', waitMs: 300 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

test('an identity does not match a process with the same pid and another start time', async () => {
  const child = spawnSleeper();
  const identity = identify(child.pid);
  assert.ok(isRunning(identity));

  const otherIdentity = { ...identity, startedAt: 'another start time' };
  assert.ok(!isRunning(otherIdentity));
  signalProcess(otherIdentity, 'SIGKILL');
  await endProcess(otherIdentity, END_STEPS);
  assert.ok(isRunning(identity), 'the process with the same pid still runs');

  await endProcess(identity, END_STEPS);
  assert.ok(!isRunning(identity));
  // Does not throw although the process has ended.
  signalProcess(identity, 'SIGKILL');
});

test('a process that ignores SIGTERM is killed', async () => {
  const child = spawnSleeper("process.on('SIGTERM', () => {}); console.log('ready')");
  const identity = identify(child.pid);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await endProcess(identity, END_STEPS);
  assert.equal(
    child.signalCode ?? (await new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))),
    'SIGKILL',
  );
});

test('the command line of a process contains its arguments', async () => {
  const child = spawnSleeper();
  assert.match(readCommandLine(child.pid), /setInterval/);
  await endProcess(identify(child.pid), END_STEPS);
});

test('a pid without a process has no identity', () => {
  assert.equal(identify(PID_LIMIT), undefined);
});

test('an undefined identity does not run, and ending it does not throw', async () => {
  assert.equal(isRunning(undefined), false);
  await endProcess(undefined, END_STEPS);
});
