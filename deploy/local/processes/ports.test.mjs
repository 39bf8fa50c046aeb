import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import test from 'node:test';
import { findFreePorts, reservePort } from './ports.mjs';

test('a port is reserved for one process, until it ends', async () => {
  const script = `
    const { findFreePorts } = await import(${JSON.stringify(import.meta.resolve('./ports.mjs'))});
    process.stdout.write(String((await findFreePorts(1))[0]));
    setInterval(() => {}, 1_000);`;
  const other = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  try {
    const [output] = await once(other.stdout, 'data');
    assert.equal(reservePort(Number(output)), false);
    other.kill('SIGKILL');
    await once(other, 'exit');
    assert.equal(reservePort(Number(output)), true);
  } finally {
    other.kill('SIGKILL');
  }
});

test('a process picks different ports', async () => {
  const ports = [...(await findFreePorts(5)), ...(await findFreePorts(5))];
  assert.equal(new Set(ports).size, 10);
});
