// Writes the HTML documents of the build:
// - the landing page and the legal pages: prerendered, with inlined styles, and scripts that load after the first paint
// - chat.html and auth.html: with inlined styles, and preloads for the scripts that their page needs; chat.html also
//   contains the markup of the shell (the frame of the page)
// dist/index.html, an empty document, remains for all other addresses.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
/** Folder of the temporary build that renders the pages on the server side. */
const rendererFolder = join(dist, '.prerender');
const readBuiltFile = (file) => readFileSync(join(dist, file), 'utf8');

/** `title` is the title of the document; by default the title of the social preview (`og:title`). */
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

/** @returns the markup of each path, in the order of `paths`, and the markup of the shell of /chat */
const renderMarkup = async (paths) => {
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    publicDir: false,
    build: { ssr: 'src/app/prerender.tsx', outDir: rendererFolder, emptyOutDir: true, manifest: false },
  });
  try {
    const { renderPage, renderChatShell } = await import(
      pathToFileURL(join(rendererFolder, 'prerender.js')).href
    );
    const markup = [];
    for (const path of paths) markup.push(await renderPage(path));
    return { markup, chatShell: await renderChatShell() };
  } finally {
    rmSync(rendererFolder, { recursive: true, force: true });
  }
};

/** @throws if `text` does not contain `part` exactly once */
const replaceOnce = (text, part, replacement) => {
  const pieces = text.split(part);
  if (pieces.length !== 2)
    throw new Error(`The page contains ${part} ${pieces.length - 1} times, expected once`);
  return pieces.join(replacement);
};

/** Adds the script of a chunk and those of its static imports, in this order, to `found`. @returns `found` */
const collectScripts = (manifest, key, found = new Set()) => {
  const { file, imports = [] } = manifest[key];
  if (found.has(file)) return found;
  found.add(file);
  for (const imported of imports) collectScripts(manifest, imported, found);
  return found;
};

// React and Vite read NODE_ENV, so it is set before the renderer is built and run.
process.env.NODE_ENV = 'production';
const emptyDocument = readBuiltFile('index.html');
const manifest = JSON.parse(readBuiltFile('.vite/manifest.json'));

const [sheetTag, sheetFile] =
  /<link rel="stylesheet"[^>]*href="\/([^"]+\.css)"[^>]*>/.exec(emptyDocument) ?? [];
if (!sheetFile) throw new Error('The page has no style sheet');
// The disabled link keeps Vite's preloader from loading the style sheet again for chunks that are loaded later. The
// browser does not fetch a disabled link.
const inlinedStyles = `<style>${readBuiltFile(sheetFile)}</style><link rel="stylesheet" href="/${sheetFile}" disabled>`;
const scriptTags = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g;
const socialTitle = /<meta property="og:title" content="([^"]+)"/.exec(emptyDocument)?.[1];
if (!socialTitle) throw new Error('The page has no og:title');

/** The public address of the site; empty if PUBLIC_ORIGIN is not set. */
const origin = (process.env.PUBLIC_ORIGIN ?? '').replace(/\/$/, '');

/**
 * React streams suspended parts as templates and scripts, which a static document cannot contain.
 * @returns the markup
 * @throws if a part of it was suspended
 */
const requireNoSuspense = (path, markup) => {
  if (/<(script|template)/.test(markup)) throw new Error(`A part of ${path} was suspended while rendering`);
  return markup;
};

/** @returns a prerendered document whose scripts load after the first paint */
const buildPrerenderedDocument = ({ path, route, title = socialTitle }, markup) => {
  const scripts = collectScripts(manifest, route, collectScripts(manifest, 'index.html'));
  // public/theme.js runs the first of `scripts`. It must be the entry script, whose tag is the first in the document.
  if (!emptyDocument.match(scriptTags)?.[0].includes([...scripts][0]))
    throw new Error('The first script tag of the page is not that of the entry script');
  const canonical = origin
    ? `<link rel="canonical" href="${origin}${path}"><meta property="og:url" content="${origin}${path}">`
    : '';
  let html = replaceOnce(emptyDocument, sheetTag, inlinedStyles);
  html = replaceOnce(html, '<title>Thaw</title>', `<title>${title}</title>`);
  // Scripts would delay the first paint on a slow connection, so public/theme.js requests them after the first paint.
  // The meta tag passes their addresses to theme.js.
  html = html.replace(scriptTags, '');
  const lateScripts = [...scripts].map((file) => `/${file}`).join(' ');
  html = replaceOnce(
    html,
    '</head>',
    `<meta name="thaw-scripts" content="${lateScripts}">${canonical}</head>`,
  );
  // `data-rendered` makes main.tsx hydrate the markup; without it, main.tsx replaces the markup.
  const renderedRoot = `<div id="root" data-rendered>${requireNoSuspense(path, markup)}</div>`;
  html = replaceOnce(html, '<div id="root"></div>', renderedRoot);
  if (origin) html = replaceOnce(html, 'content="/social.png"', `content="${origin}/social.png"`);
  return html;
};

const { markup, chatShell } = await renderMarkup(pages.map(({ path }) => path));
for (const [index, page] of pages.entries()) {
  const html = buildPrerenderedDocument(page, markup[index]);
  writeFileSync(join(dist, page.file), html);
  const digest = createHash('sha256').update(html).digest('hex').slice(0, 8);
  console.log(`${page.file} ${(html.length / 1000).toFixed(1)} kB, ${digest}`);
}

/** @returns a document that preloads the scripts of these manifest keys, and shows `markup` until they have run */
const buildPreloadingDocument = (entries, markup) => {
  const files = new Set();
  for (const entry of ['index.html', ...entries]) collectScripts(manifest, entry, files);
  const [entryFile, ...others] = files;
  const preloads = others.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`).join('');
  let html = replaceOnce(emptyDocument, sheetTag, inlinedStyles);
  // `preloads` contains these scripts too.
  html = html.replace(/<link rel="modulepreload"[^>]*>\s*/g, '');
  html = replaceOnce(html, `src="/${entryFile}"></script>`, `src="/${entryFile}"></script>${preloads}`);
  return replaceOnce(html, '<div id="root"></div>', `<div id="root">${markup}</div>`);
};
// The route, and what it needs from the start but imports dynamically: the connection and the dialogs.
const chatEntries = [
  'src/app/routes/chat-route.tsx',
  'src/app/realtime.ts',
  'src/features/profile/components/profile-dialogs.tsx',
];
const chatDocument = buildPreloadingDocument(chatEntries, requireNoSuspense('/chat', chatShell));
writeFileSync(join(dist, 'chat.html'), chatDocument);
writeFileSync(join(dist, 'auth.html'), buildPreloadingDocument(['src/app/routes/auth-route.tsx'], ''));
