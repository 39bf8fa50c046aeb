import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { inRepository } from '../places.mjs';

// The supply chain as package-lock.json fixes it. Floors: the versions in which known vulnerabilities are fixed.

const floors = {
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
/** The platform would answer requests past our guards; the session store speaks to another Redis client than ours. */
const unwanted = ['@nestjs/platform-fastify', 'fastify', 'connect-redis'];
/** Their scripts may be left out: prebuilt packages, or telemetry that package.json switches off. */
const withInstallScripts = ['@scarf/scarf', 'msgpackr-extract'];

const { packages } = JSON.parse(fs.readFileSync(inRepository('package-lock.json'), 'utf8'));
const installed = Object.entries(packages)
  .filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link)
  .map(([place, entry]) => ({ name: place.split('node_modules/').at(-1), ...entry }));
const copiesOf = (name) => installed.filter((entry) => entry.name === name);

test('no package of the product is older than the version that fixed its known vulnerabilities', () => {
  for (const [name, floor] of Object.entries(floors)) {
    const copies = copiesOf(name);
    assert.ok(copies.length > 0, `${name} is not installed: take it off this list`);
    for (const { version } of copies)
      assert.ok(compare(version, floor) >= 0, `${name} ${version} < ${floor}`);
  }
});

test('there is one copy of ws', () => {
  assert.equal(copiesOf('ws').length, 1);
});

test('packages that the design excludes are not installed', () => {
  for (const name of unwanted) assert.deepEqual(copiesOf(name), [], name);
});

test('no further package of the product runs a script when it is installed', () => {
  const names = installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
  assert.deepEqual(names.sort(), withInstallScripts);
  const { scarfSettings } = JSON.parse(fs.readFileSync(inRepository('package.json'), 'utf8'));
  assert.equal(scarfSettings.enabled, false);
});

test('every package is fixed by its checksum, and none names a registry', () => {
  for (const { name, integrity, resolved } of installed) {
    assert.match(integrity ?? '', /^sha512-/, name);
    assert.equal(resolved, undefined, name);
  }
});

test('the images use Node 24', () => {
  for (const file of ['Dockerfile.backend', 'Dockerfile.frontend']) {
    const images = fs.readFileSync(inRepository(file), 'utf8').match(/^FROM node:\S+/gm) ?? [];
    assert.ok(images.length > 0 && images.every((image) => image.startsWith('FROM node:24-')), file);
  }
});

test('versions are compared by number', () => {
  assert.ok(compare('8.23.0', '8.21.1') > 0);
  assert.ok(compare('8.9.9', '8.21.1') < 0);
  assert.equal(compare('1.1.0', '1.1.0'), 0);
  assert.ok(compare('1.1.0-rc.1', '1.1.0') < 0);
});

/** Negative when `one` is the older release; a pre-release is older than its release. */
function compare(one, other) {
  const [numbers, otherNumbers] = [one, other].map((version) => version.split('-')[0].split('.').map(Number));
  const difference = numbers.map((number, index) => number - otherNumbers[index]).find(Boolean);
  return difference ?? Number(other.includes('-')) - Number(one.includes('-'));
}
