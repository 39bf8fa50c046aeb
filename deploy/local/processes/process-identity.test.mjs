import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import test from 'node:test';
import { readCommandLine, endProcess, identify, isRunning, signalProcess } from './process-identity.mjs';

/** Starts a Node process that runs `code` and then does not exit. */
const spawnSleeper = (code = '') => spawn(process.execPath, ['-e', `${code}; setInterval(() => {}, 1000)`]);
/** No process has this pid: the pids of Linux are smaller. */
const PID_LIMIT = 2 ** 22;
const END_STEPS = [
  { signal: 'SIGTERM', waitMs: 300 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

test('a process with the same pid and another start time does not count as running, and is not ended', async () => {
  const child = spawnSleeper();
  const identity = identify(child.pid);
  assert.ok(isRunning(identity));

  const otherIdentity = { ...identity, startedAt: 'another start time' };
  assert.ok(!isRunning(otherIdentity));
  signalProcess(otherIdentity, 'SIGKILL');
  await endProcess(otherIdentity, END_STEPS);
  assert.ok(isRunning(identity));

  await endProcess(identity, END_STEPS);
});

test('a process that was ended does not run, and a signal to it does not throw', async () => {
  const child = spawnSleeper();
  const identity = identify(child.pid);
  await endProcess(identity, END_STEPS);
  assert.ok(!isRunning(identity));
  assert.doesNotThrow(() => signalProcess(identity, 'SIGKILL'));
});

test('a process that ignores SIGTERM is killed', async () => {
  const child = spawnSleeper("process.on('SIGTERM', () => {}); console.log('ready')");
  const exited = once(child, 'exit');
  const identity = identify(child.pid);
  await once(child.stdout, 'data');
  await endProcess(identity, END_STEPS);
  const [, signal] = await exited;
  assert.equal(signal, 'SIGKILL');
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
