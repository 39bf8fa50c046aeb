// Checks package-lock.json, and the Node version of the images.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { resolveInRepository } from '../paths.mjs';

/** The versions in which known vulnerabilities are fixed. */
const minimumVersions = {
  ws: '8.21.1',
  multer: '2.3.0',
  qs: '6.14.2',
  'body-parser': '2.2.1',
  'path-to-regexp': '8.4.0',
  passport: '0.7.0',
  'express-session': '1.19.0',
  typeorm: '1.1.0',
  '@nestjs/common': '12.0.0',
  sharp: '0.35.3',
};
/** Fastify would bypass the guards written for Express; connect-redis needs another Redis client than ioredis. */
const excludedPackages = ['@nestjs/platform-fastify', 'fastify', 'connect-redis'];
/**
 * Both work without their install scripts, which the builds of the images do not run (`npm ci --ignore-scripts`). The
 * script of @scarf/scarf reports telemetry; the script of msgpackr-extract compiles an optional binary.
 */
const packagesWithInstallScripts = ['@scarf/scarf', 'msgpackr-extract'];

const { packages } = JSON.parse(fs.readFileSync(resolveInRepository('package-lock.json'), 'utf8'));
/** The packages that the product installs, without those for development. A `link` leads to a workspace. */
const productPackages = Object.entries(packages)
  .filter(([location, { dev, link }]) => location.includes('node_modules/') && !dev && !link)
  .map(([location, entry]) => ({ name: location.split('node_modules/').at(-1), ...entry }));
const listInstalledCopies = (name) => productPackages.filter((entry) => entry.name === name);

test('every package of `minimumVersions` is installed in at least its minimum version', () => {
  for (const [name, minimum] of Object.entries(minimumVersions)) {
    const copies = listInstalledCopies(name);
    assert.ok(copies.length > 0, `${name} is not installed: remove it from this list`);
    for (const { version } of copies)
      assert.ok(compareVersions(version, minimum) >= 0, `${name} ${version} < ${minimum}`);
  }
});

// `overrides` in package.json gives the same version of ws to all packages, also to those that require another one.
test('exactly one copy of ws is installed', () => {
  assert.equal(listInstalledCopies('ws').length, 1);
});

test('packages that the product must not use are not installed', () => {
  for (const name of excludedPackages) assert.deepEqual(listInstalledCopies(name), [], name);
});

test('only known packages of the product have install scripts', () => {
  const names = productPackages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
  assert.deepEqual(names.sort(), packagesWithInstallScripts);
});

test('the telemetry of @scarf/scarf is turned off', () => {
  const { scarfSettings } = JSON.parse(fs.readFileSync(resolveInRepository('package.json'), 'utf8'));
  assert.equal(scarfSettings.enabled, false);
});

// Without URLs (`omit-lockfile-registry-resolved` in .npmrc), npm installs from the registry that is configured.
test('every package of the product has a checksum, and none has the URL of a registry', () => {
  for (const { name, integrity, resolved } of productPackages) {
    assert.match(integrity ?? '', /^sha512-/, name);
    assert.equal(resolved, undefined, name);
  }
});

test('the images are based on Node 24', () => {
  for (const file of ['Dockerfile.backend', 'Dockerfile.frontend']) {
    const images = fs.readFileSync(resolveInRepository(file), 'utf8').match(/^FROM node:\S+/gm) ?? [];
    assert.ok(images.length > 0 && images.every((image) => image.startsWith('FROM node:24-')), file);
  }
});

test('versions are compared numerically, and a pre-release is older than its release', () => {
  assert.ok(compareVersions('8.23.0', '8.21.1') > 0);
  assert.ok(compareVersions('8.9.9', '8.21.1') < 0);
  assert.equal(compareVersions('1.1.0', '1.1.0'), 0);
  assert.ok(compareVersions('1.1.0-rc.1', '1.1.0') < 0);
});

/** Returns a negative number when `version` is older than `other`, and 0 when both are the same. */
function compareVersions(version, other) {
  const numbers = parseNumbers(version);
  const otherNumbers = parseNumbers(other);
  for (const [index, number] of numbers.entries()) {
    if (number !== otherNumbers[index]) return number - otherNumbers[index];
  }
  // With the same numbers, a pre-release is older than its release.
  const isPreRelease = version.includes('-');
  const isOtherPreRelease = other.includes('-');
  if (isPreRelease === isOtherPreRelease) return 0;
  return isPreRelease ? -1 : 1;
}

/** Returns the numbers of a version, without its pre-release: `8.21.1-rc.1` has 8, 21 and 1. */
function parseNumbers(version) {
  const [numbers] = version.split('-');
  return numbers.split('.').map(Number);
}
