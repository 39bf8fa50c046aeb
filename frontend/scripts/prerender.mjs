// Renders `/` into dist/landing.html, with its style sheet in it and its scripts named for later. dist/index.html stays
// the empty shell of the other routes. Both get what says who made the page, for search engines and for those who share it.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const renderer = join(dist, '.prerender');
const read = (file) => readFileSync(join(dist, file), 'utf8');

const markupOf = async (path) => {
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    publicDir: false,
    build: { ssr: 'src/app/prerender.tsx', outDir: renderer, emptyOutDir: true, manifest: false },
  });
  try {
    const { renderPage } = await import(pathToFileURL(join(renderer, 'prerender.js')).href);
    return await renderPage(path);
  } finally {
    rmSync(renderer, { recursive: true, force: true });
  }
};

const replaceOnce = (text, part, replacement) => {
  const pieces = text.split(part);
  if (pieces.length !== 2) throw new Error(`${part} stands ${pieces.length - 1} times in the page`);
  return pieces.join(replacement);
};

/** Every script of a chunk, its imports included, after those that were found before. */
const scriptsOf = (manifest, key, found = new Set()) => {
  const { file, imports = [] } = manifest[key];
  if (found.has(file)) return found;
  found.add(file);
  for (const imported of imports) scriptsOf(manifest, imported, found);
  return found;
};

process.env.NODE_ENV = 'production';
const markup = await markupOf('/');
if (/<(script|template)/.test(markup)) throw new Error('The landing page was not rendered in one piece');

const shell = read('index.html');
const manifest = JSON.parse(read('.vite/manifest.json'));

const [sheetTag, sheet] = /<link rel="stylesheet"[^>]*href="\/([^"]+\.css)"[^>]*>/.exec(shell) ?? [];
if (!sheet) throw new Error('The page has no style sheet');
const scripts = scriptsOf(manifest, 'src/app/routes/landing-route.tsx', scriptsOf(manifest, 'index.html'));
const scriptTags = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g;
if (!shell.match(scriptTags)?.[0].includes([...scripts][0])) throw new Error('The page has no script');

// Where the page will be reached is known where the one who builds it says so.
const origin = (process.env.PUBLIC_ORIGIN ?? '').replace(/\/$/, '');
const canonical = origin
  ? `<link rel="canonical" href="${origin}/"><meta property="og:url" content="${origin}/">`
  : '';
const title = /<meta property="og:title" content="([^"]+)"/.exec(shell)?.[1];
if (!title) throw new Error('The page has no title for those who share it');

let landing = shell;
landing = replaceOnce(landing, sheetTag, `<style>${read(sheet)}</style>`);
landing = replaceOnce(landing, '<title>Thaw</title>', `<title>${title}</title>`);
// What is rendered is painted first: on a slow line its scripts would come in its way. theme.js asks for them then.
landing = landing.replace(scriptTags, '');
const late = [...scripts].map((file) => `/${file}`).join(' ');
landing = replaceOnce(landing, '</head>', `<meta name="thaw-scripts" content="${late}">${canonical}</head>`);
landing = replaceOnce(landing, '<div id="root"></div>', `<div id="root">${markup}</div>`);
if (origin) landing = replaceOnce(landing, 'content="/social.png"', `content="${origin}/social.png"`);
writeFileSync(join(dist, 'landing.html'), landing);

const digest = createHash('sha256').update(landing).digest('hex').slice(0, 8);
console.log(`landing.html ${(landing.length / 1000).toFixed(1)} kB, ${digest}`);
