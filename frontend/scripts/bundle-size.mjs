// Checks the sizes of the build against budgets.json: the gzipped scripts and style sheets that each route needs
// according to Vite's manifest, and the preloaded fonts. Fails if a size exceeds `gateKb`; `aimKb` is the size to aim
// for. 1 kB is 1,000 bytes.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const budgets = JSON.parse(readFileSync(join(root, 'budgets.json'), 'utf8'));
const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));

/** Adds the manifest keys of a chunk and of its static imports, direct and indirect, to `keys`. */
const addChunk = (key, keys) => {
  if (keys.has(key)) return;
  const chunk = manifest[key];
  if (!chunk) throw new Error(`The manifest has no ${key}`);
  keys.add(key);
  for (const imported of chunk.imports ?? []) addChunk(imported, keys);
};

/** Finds the files that a route needs. `also`: modules that the route imports dynamically, but always needs. */
const findFiles = ({ entry, also = [] }) => {
  const keys = new Set();
  for (const key of ['index.html', entry, ...also]) addChunk(key, keys);
  const chunks = [...keys].map((key) => manifest[key]);
  return {
    scripts: new Set(chunks.map(({ file }) => file).filter((file) => file.endsWith('.js'))),
    styleSheets: new Set(chunks.flatMap(({ css }) => css ?? [])),
  };
};

const measureGzippedBytes = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
const sumGzippedBytes = (files) => [...files].reduce((sum, file) => sum + measureGzippedBytes(file), 0);

const judge = (kb, { gateKb, aimKb }) => {
  if (kb > gateKb) return 'over the gate';
  return kb > aimKb ? 'over the aim' : 'ok';
};

const failures = [];
/** Prints a size, and records a failure if it exceeds `gateKb`. */
const checkSize = (name, bytes, budget) => {
  const kb = bytes / 1000;
  if (kb > budget.gateKb) failures.push(name);
  const size = `${name.padEnd(12)} ${kb.toFixed(1).padStart(6)} kB`;
  console.log(`${size}   gate ${budget.gateKb}, aim ${budget.aimKb}: ${judge(kb, budget)}`);
};

/** The style sheets of the routes without a CSS budget of their own. */
const sharedStyleSheets = new Set();
for (const [route, budget] of Object.entries(budgets.javascript)) {
  const { scripts, styleSheets } = findFiles(budget);
  checkSize(`JS ${route}`, sumGzippedBytes(scripts), budget);
  if (budget.css) checkSize(`CSS ${route}`, sumGzippedBytes(styleSheets), budget.css);
  else for (const file of styleSheets) sharedStyleSheets.add(file);
}
checkSize('CSS', sumGzippedBytes(sharedStyleSheets), budgets.css);

// Only preloaded fonts count, because every page loads them; the build adds a <link> only for them. Browsers load the
// other fonts only for characters in their unicode-range.
const page = readFileSync(join(dist, 'index.html'), 'utf8');
const fonts = [...page.matchAll(/<link [^>]*href="\/([^"]+\.woff2)"/g)].map(([, file]) => file);
const fontBytes = fonts.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
checkSize('Font', fontBytes, budgets.font);
if (fonts.length !== budgets.font.files)
  failures.push(`${fonts.length} preloaded font files instead of ${budgets.font.files}`);

if (failures.length > 0) {
  console.error(`Over budget: ${failures.join(', ')}`);
  process.exitCode = 1;
}
