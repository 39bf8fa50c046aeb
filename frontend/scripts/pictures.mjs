// Renders the icons from public/favicon.svg, and the social preview picture from the built landing page.
// Run by hand after a build, when the icon or the landing page has changed: npm run pictures -w frontend.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { dirname, extname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
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

/** Renders public/favicon.svg as a square PNG of `size` px; `inset` is the margin on each side in percent. */
const renderIcon = async (name, size, { background, inset = 0 } = {}) => {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const svg = readFileSync(join(root, 'public/favicon.svg'), 'utf8');
  await page.setContent(
    `<style>body{margin:0;background:${background ?? 'transparent'}}svg{display:block;width:100%;height:100%;padding:${inset}%;box-sizing:border-box}</style>${svg}`,
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
  // Home screens crop the edges of the first two icons (`icon-512.png` is `maskable` in the manifest), so these get a
  // margin in the background colour of the logo.
  const background = /<rect[^>]*fill="(#[0-9a-f]+)"/.exec(
    readFileSync(join(root, 'public/favicon.svg'), 'utf8'),
  )?.[1];
  await renderIcon('apple-touch-icon.png', 180, { background, inset: 6 });
  await renderIcon('icon-512.png', 512, { background, inset: 8 });
  await renderIcon('icon-192.png', 192);
  await renderSocialPreview();
} finally {
  await browser.close();
  server.close();
}
