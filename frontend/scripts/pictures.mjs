// Renders the icons from public/favicon.svg, and the social preview picture from the built landing page.
// Run by hand after a build, when the icon or the landing page has changed: npm run pictures -w frontend.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { dirname, extname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const logo = readFileSync(join(root, 'public/favicon.svg'), 'utf8');
const logoBackground = /<rect[^>]*fill="(#[0-9a-f]+)"/.exec(logo)?.[1];
/** Content types by extension; all other files are HTML. */
const contentTypes = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Serves dist/; the address / is the landing page. */
const server = http.createServer(({ url }, response) => {
  const file = url === '/' ? 'landing.html' : url.slice(1);
  try {
    const content = readFileSync(join(root, 'dist', file));
    response.writeHead(200, { 'Content-Type': contentTypes[extname(file)] ?? 'text/html' }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});

/** Renders the logo as a square PNG of `size` px, with a margin on each side in percent of the size. */
const renderIcon = async (name, size, { background, margin = 0 } = {}) => {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(
    `<style>
      body { margin: 0; background: ${background ?? 'transparent'} }
      svg { display: block; width: 100%; height: 100%; padding: ${margin}%; box-sizing: border-box }
    </style>${logo}`,
  );
  await page.screenshot({ path: join(root, 'public', name), omitBackground: !background });
  await page.close();
};

/**
 * Takes a screenshot of the landing page at the usual size of social previews. Hides the controls, and sizes the header
 * and the first section for this picture.
 */
const renderSocialPreview = async () => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.evaluate('document.fonts.ready');
  await page.addStyleTag({
    content: `
      header [role='radiogroup'], section[aria-roledescription='carousel'] > div:last-child { visibility: hidden }
      header { padding-block: 36px 0 !important }
      main > section:first-child { padding-block: 0 40px !important; min-height: 0 !important; height: 530px }
      * { animation: none !important }
    `,
  });
  await page.screenshot({ path: join(root, 'public/social.png') });
  await page.close();
};

try {
  // Home screens crop the edges of these two icons (the second is `maskable` in the manifest), so they get a margin.
  await renderIcon('apple-touch-icon.png', 180, { background: logoBackground, margin: 6 });
  await renderIcon('icon-512.png', 512, { background: logoBackground, margin: 8 });
  await renderIcon('icon-192.png', 192);
  await renderSocialPreview();
} finally {
  await browser.close();
  server.close();
}
