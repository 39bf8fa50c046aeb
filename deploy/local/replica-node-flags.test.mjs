import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';
import test from 'node:test';
import { resolveInRepository } from './paths.mjs';
import { replicaNodeFlags } from './replica-node-flags.mjs';

test('Node accepts the flags of a replica', () => {
  const { status, stderr } = spawnSync(process.execPath, [...replicaNodeFlags, '--eval', ''], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('the image starts a replica with the same flags', () => {
  const [, command] = /^CMD (\[.*\])/ms.exec(
    fs.readFileSync(resolveInRepository('Dockerfile.backend'), 'utf8'),
  );
  // The first element is the program `node`, and the last one the script. The array continues over several lines.
  const flags = JSON.parse(command.replaceAll('\\\n', '')).slice(1, -1);
  assert.deepEqual(flags, ['--require', './backend/dist/source-maps.setup.js', ...replicaNodeFlags]);
});
