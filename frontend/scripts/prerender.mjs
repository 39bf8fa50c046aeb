// Prerenders the pages that a visitor reads first, each with its style sheet inlined and its scripts deferred.
// dist/chat.html and dist/auth.html also have their style sheet inlined, and preload every script of their route;
// chat.html also shows the page's shell. dist/index.html stays the empty document for every other address.
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

const pages = [
  { path: '/', file: 'landing.html', route: 'src/app/routes/landing-route.tsx' },
  { path: '/terms', file: 'terms.html', route: 'src/app/routes/legal-route.tsx', title: 'Terms · Thaw' },
  {
    path: '/privacy',
    file: 'privacy.html',
    route: 'src/app/routes/legal-route.tsx',
    title: 'Privacy · Thaw',
  },
  {
    path: '/rules',
    file: 'rules.html',
    route: 'src/app/routes/legal-route.tsx',
    title: 'House rules · Thaw',
  },
];

/** The markup of each path, and of the shell of /chat. */
const renderMarkup = async (paths) => {
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    publicDir: false,
    build: { ssr: 'src/app/prerender.tsx', outDir: renderer, emptyOutDir: true, manifest: false },
  });
  try {
    const { renderPage, renderChatShell } = await import(pathToFileURL(join(renderer, 'prerender.js')).href);
    const markup = [];
    for (const path of paths) markup.push(await renderPage(path));
    return { markup, chatShell: await renderChatShell() };
  } finally {
    rmSync(renderer, { recursive: true, force: true });
  }
};

const replaceOnce = (text, part, replacement) => {
  const pieces = text.split(part);
  if (pieces.length !== 2) throw new Error(`${part} stands ${pieces.length - 1} times in the page`);
  return pieces.join(replacement);
};

/** Adds the script of a chunk and those of its imports to `found`, in order, without duplicates. */
const collectScripts = (manifest, key, found = new Set()) => {
  const { file, imports = [] } = manifest[key];
  if (found.has(file)) return found;
  found.add(file);
  for (const imported of imports) collectScripts(manifest, imported, found);
  return found;
};

process.env.NODE_ENV = 'production';
const shell = read('index.html');
const manifest = JSON.parse(read('.vite/manifest.json'));

const [sheetTag, sheet] = /<link rel="stylesheet"[^>]*href="\/([^"]+\.css)"[^>]*>/.exec(shell) ?? [];
if (!sheet) throw new Error('The page has no style sheet');
// A disabled link is not fetched. It marks the style sheet as present for chunks that are loaded later.
const styles = `<style>${read(sheet)}</style><link rel="stylesheet" href="/${sheet}" disabled>`;
const scriptTags = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g;
const shared = /<meta property="og:title" content="([^"]+)"/.exec(shell)?.[1];
if (!shared) throw new Error('The page has no title for those who share it');

// The public address of the page, if the build is given one.
const origin = (process.env.PUBLIC_ORIGIN ?? '').replace(/\/$/, '');

const inOnePiece = (path, markup) => {
  if (/<(script|template)/.test(markup)) throw new Error(`${path} was not rendered in one piece`);
  return markup;
};

const buildPage = ({ path, route, title = shared }, markup) => {
  const scripts = collectScripts(manifest, route, collectScripts(manifest, 'index.html'));
  if (!shell.match(scriptTags)?.[0].includes([...scripts][0])) throw new Error('The page has no script');
  const canonical = origin
    ? `<link rel="canonical" href="${origin}${path}"><meta property="og:url" content="${origin}${path}">`
    : '';
  let page = replaceOnce(shell, sheetTag, styles);
  page = replaceOnce(page, '<title>Thaw</title>', `<title>${title}</title>`);
  // Scripts would compete with the first paint on a slow connection, so theme.js requests them after it.
  page = page.replace(scriptTags, '');
  const late = [...scripts].map((file) => `/${file}`).join(' ');
  page = replaceOnce(page, '</head>', `<meta name="thaw-scripts" content="${late}">${canonical}</head>`);
  const root = `<div id="root" data-rendered>${inOnePiece(path, markup)}</div>`;
  page = replaceOnce(page, '<div id="root"></div>', root);
  if (origin) page = replaceOnce(page, 'content="/social.png"', `content="${origin}/social.png"`);
  return page;
};

const { markup, chatShell } = await renderMarkup(pages.map(({ path }) => path));
for (const [index, page] of pages.entries()) {
  const text = buildPage(page, markup[index]);
  writeFileSync(join(dist, page.file), text);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  console.log(`${page.file} ${(text.length / 1000).toFixed(1)} kB, ${digest}`);
}

/** A document of the application that preloads everything its route needs. */
const buildDocument = (entries, shown) => {
  const files = new Set();
  for (const entry of ['index.html', ...entries]) collectScripts(manifest, entry, files);
  const [first, ...others] = files;
  const preloads = others.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`).join('');
  let page = replaceOnce(shell, sheetTag, styles);
  page = page.replace(/<link rel="modulepreload"[^>]*>\s*/g, '');
  page = replaceOnce(page, `src="/${first}"></script>`, `src="/${first}"></script>${preloads}`);
  return replaceOnce(page, '<div id="root"></div>', `<div id="root">${shown}</div>`);
};
const chatEntries = [
  'src/app/routes/chat-route.tsx',
  'src/app/realtime.ts',
  'src/features/profile/components/profile-dialogs.tsx',
];
const chatDocument = buildDocument(chatEntries, inOnePiece('/chat', chatShell));
writeFileSync(join(dist, 'chat.html'), chatDocument);
writeFileSync(join(dist, 'auth.html'), buildDocument(['src/app/routes/auth-route.tsx'], ''));
