import assert from 'node:assert/strict';
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { resolveInRepository } from '../paths.mjs';

const bundle = resolveInRepository('backend/dist/main.api.js');
const code = fs.readFileSync(bundle, 'utf8');

/** Returns the TypeScript file, and its line, from which the given piece of the bundle was compiled. */
function findSource(piece) {
  const offset = code.indexOf(piece);
  assert.notEqual(offset, -1, `The bundle does not contain ${piece}`);
  const linesBefore = code.slice(0, offset).split('\n');
  const sourceMap = new SourceMap(JSON.parse(fs.readFileSync(`${bundle}.map`, 'utf8')));
  // `findEntry` counts lines and columns from 0.
  const entry = sourceMap.findEntry(linesBefore.length - 1, linesBefore.at(-1).length);
  const file = path.resolve(path.dirname(bundle), entry.originalSource);
  return { file, line: fs.readFileSync(file, 'utf8').split('\n')[entry.originalLine] };
}

test('the build puts all own modules of an api process into one file', () => {
  assert.doesNotMatch(code, /\brequire\("\.\.?\//);
});

test('the source map of the bundle names the TypeScript sources', () => {
  const { file, line } = findSource('class InternalServerService');
  assert.equal(file, resolveInRepository('backend/src/platform/health/internal-server.service.ts'));
  assert.match(line, /class InternalServerService/);
});

test('a module in the bundle finds the files in its own folder of dist', () => {
  const [, folder] = /join\(__dirname, "([^"]+)"\), "image-decoder\.process\.cjs"/.exec(code) ?? [];
  assert.ok(folder, 'The path of the image decoder is not in the bundle');
  assert.ok(fs.existsSync(path.join(path.dirname(bundle), folder, 'image-decoder.process.cjs')));
});
