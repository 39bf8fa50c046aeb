import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const api = process.env.THAW_API_URL ?? 'http://127.0.0.1:3000';

/** The font of the page's own words is asked for together with the style sheet; extended Latin comes on demand. */
const preloadFont = (): Plugin => ({
  name: 'thaw-preload-font',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((file) => /latin-wght[^/]*\.woff2$/.test(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
          injectTo: 'head-prepend' as const,
        })),
  },
});

/**
 * React Router names its components in statements of their own and does not mark their calls as pure, so that a bundler
 * keeps those that are not used: 3 kB (gzip) of every page.
 */
const dropUnusedRouterParts = (): Plugin => ({
  name: 'thaw-drop-unused-router-parts',
  apply: 'build',
  transform: {
    filter: { id: /node_modules\/react-router\/dist\/(?:development|production)\/[^/]+\.mjs$/ },
    handler: (code) => ({
      code: code
        .replace(/^\w+\.displayName = .*;$/gm, '')
        .replace(/= (React\w*\.(?:createContext|forwardRef|memo)\()/g, '= /* @__PURE__ */ $1'),
      map: null,
    }),
  },
});

/**
 * Over HTTP/1.1 a browser asks for six files at a time: what routes share comes in few files, not in twenty of 1 kB.
 * `base` is what each page needs, `chat-libraries` what /chat and its dialogs need.
 */
const sharedChunks = [
  {
    name: 'base',
    priority: 2,
    test: new RegExp(
      [
        String.raw`node_modules/(react|react-dom|scheduler|react-router|react-router-dom|react-error-boundary)/`,
        String.raw`node_modules/(zustand|clsx|class-variance-authority|lucide-react/dist/esm/(?!icons))`,
        'vite/preload-helper',
        String.raw`contract/dist/limits\.js`,
        String.raw`src/lib/(api-client|class-names|document-title|missing-chunk|open-chat|report-error|storage)\.ts`,
        String.raw`src/ui/(button|choice-group|late|link|loaded-part|logo|toast-store|two-dots)\.tsx?`,
      ].join('|'),
    ),
  },
  {
    name: 'chat-libraries',
    priority: 1,
    minShareCount: 3,
    test: /node_modules\/(?!zod|lucide-react|@tanstack\/(react-virtual|virtual-core))/,
  },
  { name: 'icons', minShareCount: 2, test: /node_modules\/lucide-react\// },
];

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadFont(), dropUnusedRouterParts()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: sharedChunks } } },
    // The Content-Security-Policy gives fonts and scripts no data: addresses.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      '/api': { target: api, changeOrigin: false },
      '/ws': { target: api, ws: true, changeOrigin: false },
    },
  },
});
