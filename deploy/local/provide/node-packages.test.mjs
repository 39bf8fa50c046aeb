import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { isInstalled, isOfOtherNode } from './node-packages.mjs';

test('packages count as installed when npm recorded exactly the versions of the lock file', (t) => {
  const locked = {
    // The root, workspaces and optional packages may be missing in npm's record.
    '': { name: 'thaw' },
    backend: { name: '@thaw/backend' },
    'node_modules/ws': { version: '8.23.0' },
    'node_modules/for-another-platform': { version: '1.0.0', optional: true },
  };
  const isInstalledWith = (packages) => isInstalled(createCheckout(t, locked, packages));
  assert.equal(isInstalledWith({ 'node_modules/ws': { version: '8.23.0' } }), true);
  assert.equal(isInstalledWith({ 'node_modules/ws': { version: '8.22.0' } }), false);
  assert.equal(isInstalledWith({}), false);
  const noRecord = undefined; // npm has never run
  assert.equal(isInstalledWith(noRecord), false);
});

test('packages of another Node are those of another platform or ABI version', () => {
  const { platform, arch, versions } = process;
  const abi = Number(versions.modules);
  assert.equal(isOfOtherNode(`hash ${platform}-${arch} ${abi}\n`), false);
  assert.equal(isOfOtherNode(`hash ${platform}-${arch} ${abi + 1}\n`), true);
  assert.equal(isOfOtherNode(`hash other-${arch} ${abi}\n`), true);
  const noStamp = undefined; // the user has installed the packages
  assert.equal(isOfOtherNode(noStamp), false);
});

/** Creates a folder with a lock file and, if `installed` is given, npm's record of its last installation. */
function createCheckout(t, locked, installed) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'thaw-checkout-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  fs.mkdirSync(path.join(root, 'node_modules'));
  fs.writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ packages: locked }));
  if (installed) {
    const record = JSON.stringify({ packages: installed });
    fs.writeFileSync(path.join(root, 'node_modules/.package-lock.json'), record);
  }
  return root;
}
