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

const emptyDocument = readBuiltFile('index.html');
const manifest = JSON.parse(readBuiltFile('.vite/manifest.json'));
/** The public address of the site; empty if PUBLIC_ORIGIN is not set. */
const origin = (process.env.PUBLIC_ORIGIN ?? '').replace(/\/$/, '');

/** @throws if `text` does not contain `part` exactly once */
const replaceOnce = (text, part, replacement) => {
  const pieces = text.split(part);
  if (pieces.length !== 2)
    throw new Error(`The page contains ${part} ${pieces.length - 1} times, expected once`);
  return pieces.join(replacement);
};

/** @returns the document with its style sheet inlined */
const inlineStyles = (html) => {
  const styleSheet = /<link rel="stylesheet"[^>]*href="\/([^"]+\.css)"[^>]*>/.exec(html);
  if (!styleSheet) throw new Error('The page has no style sheet');
  const [tag, file] = styleSheet;
  // The disabled link keeps Vite's preloader from loading the style sheet again for chunks that are loaded later. The
  // browser does not fetch a disabled link.
  const styles = `<style>${readBuiltFile(file)}</style><link rel="stylesheet" href="/${file}" disabled>`;
  return replaceOnce(html, tag, styles);
};

const styledDocument = inlineStyles(emptyDocument);
const socialTitle = /<meta property="og:title" content="([^"]+)"/.exec(emptyDocument)?.[1];
if (!socialTitle) throw new Error('The page has no og:title');

/** @returns the scripts of chunks and of their static imports, without duplicates, the first chunk's script first */
const collectScripts = (manifestKeys) => {
  const scripts = new Set();
  const addChunk = (key) => {
    const { file, imports = [] } = manifest[key];
    if (scripts.has(file)) return;
    scripts.add(file);
    for (const imported of imports) addChunk(imported);
  };
  for (const key of manifestKeys) addChunk(key);
  return [...scripts];
};

/**
 * React renders suspended parts as templates and scripts, which a static document cannot contain.
 * @returns the markup
 * @throws if a part of it was suspended
 */
const requireNoSuspense = (path, markup) => {
  if (/<(script|template)/.test(markup)) throw new Error(`A part of ${path} was suspended while rendering`);
  return markup;
};

/** @returns the markup of each page, by its path, and the markup of the shell of /chat */
const renderMarkup = async () => {
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
    const markupByPath = new Map();
    for (const { path } of pages) markupByPath.set(path, requireNoSuspense(path, await renderPage(path)));
    return { markupByPath, chatShell: requireNoSuspense('/chat', await renderChatShell()) };
  } finally {
    rmSync(rendererFolder, { recursive: true, force: true });
  }
};

/** @returns a prerendered document whose scripts load after the first paint */
const buildPrerenderedDocument = ({ path, route, title = socialTitle }, markup) => {
  const scripts = collectScripts(['index.html', route]);
  const scriptTags = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g;
  // public/theme.js runs the first of `scripts`. It must be the entry script, whose tag is the first in the document.
  const firstScriptTag = styledDocument.match(scriptTags)?.[0];
  if (!firstScriptTag?.includes(scripts[0]))
    throw new Error('The first script tag of the page is not that of the entry script');
  // Scripts would delay the first paint on a slow connection, so public/theme.js requests them after the first paint.
  // The meta tag passes their addresses to theme.js.
  let html = styledDocument.replace(scriptTags, '');
  const lateScripts = scripts.map((file) => `/${file}`).join(' ');
  const canonical = origin
    ? `<link rel="canonical" href="${origin}${path}"><meta property="og:url" content="${origin}${path}">`
    : '';
  html = replaceOnce(
    html,
    '</head>',
    `<meta name="thaw-scripts" content="${lateScripts}">${canonical}</head>`,
  );
  html = replaceOnce(html, '<title>Thaw</title>', `<title>${title}</title>`);
  if (origin) html = replaceOnce(html, 'content="/social.png"', `content="${origin}/social.png"`);
  // `data-rendered` makes main.tsx hydrate the markup; without it, main.tsx replaces the markup.
  return replaceOnce(html, '<div id="root"></div>', `<div id="root" data-rendered>${markup}</div>`);
};

/** @returns a document that preloads the scripts of these manifest keys, and shows `markup` until they have run */
const buildPreloadingDocument = (manifestKeys, markup) => {
  const [entryScript, ...others] = collectScripts(['index.html', ...manifestKeys]);
  const preloads = others.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`).join('');
  // `preloads` contains the scripts of the removed links too.
  let html = styledDocument.replace(/<link rel="modulepreload"[^>]*>\s*/g, '');
  html = replaceOnce(html, `src="/${entryScript}"></script>`, `src="/${entryScript}"></script>${preloads}`);
  return replaceOnce(html, '<div id="root"></div>', `<div id="root">${markup}</div>`);
};

// React and Vite read NODE_ENV, so it is set before the renderer is built and run.
process.env.NODE_ENV = 'production';
const { markupByPath, chatShell } = await renderMarkup();

for (const page of pages) {
  const html = buildPrerenderedDocument(page, markupByPath.get(page.path));
  writeFileSync(join(dist, page.file), html);
  const digest = createHash('sha256').update(html).digest('hex').slice(0, 8);
  console.log(`${page.file} ${(html.length / 1000).toFixed(1)} kB, ${digest}`);
}

// The route, and what it needs from the start but imports dynamically: the connection and the dialogs.
const chatEntries = [
  'src/app/routes/chat-route.tsx',
  'src/app/realtime.ts',
  'src/features/profile/components/profile-dialogs.tsx',
];
writeFileSync(join(dist, 'chat.html'), buildPreloadingDocument(chatEntries, chatShell));
writeFileSync(join(dist, 'auth.html'), buildPreloadingDocument(['src/app/routes/auth-route.tsx'], ''));
