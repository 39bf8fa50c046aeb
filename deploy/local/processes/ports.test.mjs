import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import test from 'node:test';
import { findFreePorts, reservePort } from './ports.mjs';

test('a port stays reserved for the process that picked it, until that process ends', async () => {
  const script = `
    const { findFreePorts } = await import(${JSON.stringify(import.meta.resolve('./ports.mjs'))});
    process.stdout.write(String((await findFreePorts(1))[0]));
    setInterval(() => {}, 1_000);`;
  const otherProcess = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  try {
    const [output] = await once(otherProcess.stdout, 'data');
    assert.equal(reservePort(Number(output)), false);
    otherProcess.kill('SIGKILL');
    await once(otherProcess, 'exit');
    assert.equal(reservePort(Number(output)), true);
  } finally {
    otherProcess.kill('SIGKILL');
  }
});

test('all ports that a process picks are different', async () => {
  const ports = [...(await findFreePorts(5)), ...(await findFreePorts(5))];
  assert.equal(new Set(ports).size, 10);
});
