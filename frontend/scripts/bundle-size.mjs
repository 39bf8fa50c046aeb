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

const measureGzippedBytes = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;

/** Adds the manifest key of a chunk and those of its static imports to `found`. @returns `found` */
const collectChunks = (key, found = new Set()) => {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`The manifest has no ${key}`);
  if (found.has(key)) return found;
  found.add(key);
  for (const imported of chunk.imports ?? []) collectChunks(imported, found);
  return found;
};

const failures = [];
/** Prints a size, and records a failure if it exceeds its budget. */
const checkSize = (name, bytes, { gateKb, aimKb }) => {
  const kb = bytes / 1000;
  const isOver = kb > gateKb;
  if (isOver) failures.push(name);
  const verdict = isOver ? 'over the gate' : kb > aimKb ? 'over the aim' : 'ok';
  console.log(
    `${name.padEnd(12)} ${kb.toFixed(1).padStart(6)} kB   gate ${gateKb}, aim ${aimKb}: ${verdict}`,
  );
};

const sumGzippedBytes = (files) => [...files].reduce((sum, file) => sum + measureGzippedBytes(file), 0);

/** Style sheets of the routes without a CSS budget of their own. */
const sharedCss = new Set();
for (const [route, budget] of Object.entries(budgets.javascript)) {
  const keys = new Set();
  // `also`: modules that the route imports dynamically, but always needs.
  for (const entry of ['index.html', budget.entry, ...(budget.also ?? [])]) collectChunks(entry, keys);
  const files = new Set([...keys].map((key) => manifest[key].file).filter((file) => file.endsWith('.js')));
  const css = new Set([...keys].flatMap((key) => manifest[key].css ?? []));
  checkSize(`JS ${route}`, sumGzippedBytes(files), budget);
  // A route with its own CSS budget has a style sheet that no other page loads.
  if (budget.css) checkSize(`CSS ${route}`, sumGzippedBytes(css), budget.css);
  else for (const file of css) sharedCss.add(file);
}
checkSize('CSS', sumGzippedBytes(sharedCss), budgets.css);

// Only preloaded fonts count, which every page loads. A browser loads the others for characters in their unicode-range.
const page = readFileSync(join(dist, 'index.html'), 'utf8');
// The build adds a <link> only for preloaded fonts.
const fonts = [...page.matchAll(/<link [^>]*href="\/([^"]+\.woff2)"/g)].map(([, file]) => file);
checkSize(
  'Font',
  fonts.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0),
  budgets.font,
);
if (fonts.length !== budgets.font.files)
  failures.push(`${fonts.length} preloaded font files instead of ${budgets.font.files}`);

if (failures.length > 0) {
  console.error(`Over budget: ${failures.join(', ')}`);
  process.exitCode = 1;
}
