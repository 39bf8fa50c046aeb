// Writes the HTML documents of the build:
// - the landing page and the legal pages: prerendered, with inlined styles, and scripts that load after the first paint
// - chat.html and auth.html: with inlined styles, and preloads for every script of their route; chat.html also contains
//   the markup of the shell (the frame of the page)
// dist/index.html, an empty document, remains for all other addresses.
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

/** Renders the markup of each path, and of the shell of /chat. */
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
  if (pieces.length !== 2)
    throw new Error(`The page contains ${part} ${pieces.length - 1} times, expected once`);
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
const emptyDocument = read('index.html');
const manifest = JSON.parse(read('.vite/manifest.json'));

const [sheetTag, sheet] = /<link rel="stylesheet"[^>]*href="\/([^"]+\.css)"[^>]*>/.exec(emptyDocument) ?? [];
if (!sheet) throw new Error('The page has no style sheet');
// The browser does not fetch a disabled link. Vite's preloader finds it and does not load the style sheet again for
// chunks that are loaded later.
const styles = `<style>${read(sheet)}</style><link rel="stylesheet" href="/${sheet}" disabled>`;
const scriptTags = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g;
const socialTitle = /<meta property="og:title" content="([^"]+)"/.exec(emptyDocument)?.[1];
if (!socialTitle) throw new Error('The page has no og:title');

/** The public address of the site; empty if PUBLIC_ORIGIN is not set. */
const origin = (process.env.PUBLIC_ORIGIN ?? '').replace(/\/$/, '');

/** React streams suspended parts as templates and scripts, which a static document cannot contain. */
const requireNoSuspense = (path, markup) => {
  if (/<(script|template)/.test(markup)) throw new Error(`A part of ${path} was suspended while rendering`);
  return markup;
};

/** A prerendered document whose scripts load after the first paint. */
const buildPage = ({ path, route, title = socialTitle }, markup) => {
  const scripts = collectScripts(manifest, route, collectScripts(manifest, 'index.html'));
  if (!emptyDocument.match(scriptTags)?.[0].includes([...scripts][0]))
    throw new Error('The page has no script');
  const canonical = origin
    ? `<link rel="canonical" href="${origin}${path}"><meta property="og:url" content="${origin}${path}">`
    : '';
  let page = replaceOnce(emptyDocument, sheetTag, styles);
  page = replaceOnce(page, '<title>Thaw</title>', `<title>${title}</title>`);
  // Scripts would delay the first paint on a slow connection, so theme.js requests them after it.
  page = page.replace(scriptTags, '');
  const lateScripts = [...scripts].map((file) => `/${file}`).join(' ');
  page = replaceOnce(
    page,
    '</head>',
    `<meta name="thaw-scripts" content="${lateScripts}">${canonical}</head>`,
  );
  const root = `<div id="root" data-rendered>${requireNoSuspense(path, markup)}</div>`;
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

/** A document that preloads all scripts of its route. `markup` is shown until they have run. */
const buildDocument = (entries, markup) => {
  const files = new Set();
  for (const entry of ['index.html', ...entries]) collectScripts(manifest, entry, files);
  const [first, ...others] = files;
  const preloads = others.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`).join('');
  let page = replaceOnce(emptyDocument, sheetTag, styles);
  page = page.replace(/<link rel="modulepreload"[^>]*>\s*/g, '');
  page = replaceOnce(page, `src="/${first}"></script>`, `src="/${first}"></script>${preloads}`);
  return replaceOnce(page, '<div id="root"></div>', `<div id="root">${markup}</div>`);
};
const chatEntries = [
  'src/app/routes/chat-route.tsx',
  'src/app/realtime.ts',
  'src/features/profile/components/profile-dialogs.tsx',
];
const chatDocument = buildDocument(chatEntries, requireNoSuspense('/chat', chatShell));
writeFileSync(join(dist, 'chat.html'), chatDocument);
writeFileSync(join(dist, 'auth.html'), buildDocument(['src/app/routes/auth-route.tsx'], ''));
