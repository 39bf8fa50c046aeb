import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Address to which the development server forwards API requests and sockets. */
const apiAddress = process.env.THAW_API_URL ?? 'http://127.0.0.1:3000';

/** Makes every page preload the font file for basic Latin. The browser loads the extended Latin file on demand. */
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
 * Lets the bundler drop unused components of React Router, which saves 3 kB (gzip) on every page. The bundler would
 * keep them, because the library sets their `displayName` in separate statements and does not mark the calls that
 * create them as pure. The plugin also removes the library's development warnings (0.5 kB).
 */
const dropUnusedRouterParts = (): Plugin => ({
  name: 'thaw-drop-unused-router-parts',
  apply: 'build',
  transform: {
    filter: { id: /node_modules\/react-router\/dist\/(?:development|production)\/[^/]+\.mjs$/ },
    handler: (code) => ({
      code: code
        .replace('ENABLE_DEV_WARNINGS = true', 'ENABLE_DEV_WARNINGS = false')
        .replace(/^\w+\.displayName = .*;$/gm, '')
        .replace(/= (React\w*\.(?:createContext|forwardRef|memo)\()/g, '= /* @__PURE__ */ $1'),
      map: null,
    }),
  },
});

/**
 * Lets the bundler drop contract schemas that a page does not use. For example, only the server validates the frames
 * that a page sends. The plugin marks the calls of the schema library as pure, because the bundler cannot know that
 * they have no side effects.
 */
const dropUnusedSchemas = (): Plugin => ({
  name: 'thaw-drop-unused-schemas',
  apply: 'build',
  transform: {
    filter: { id: /contract\/dist\/[^/]+\.js$/ },
    handler: (code) => ({ code: code.replace(/\bz\.\w+\(/g, '/* @__PURE__ */ $&'), map: null }),
  },
});

/**
 * Groups the code that routes share into a few chunks. Otherwise the bundler would create about twenty chunks of 1 kB,
 * and over HTTP/1.1 a browser loads only six files at a time. Every page needs `base`; /chat and its dialogs need
 * `chat-libraries`. A module that several groups match is in the one with the highest priority, and with equal priority
 * in the first. Without `includeDependenciesRecursively: false`, a group also contains what its modules import.
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
        String.raw`src/lib/(api-client|class-names|missing-chunk|report-error|storage|stored-value)\.ts`,
        String.raw`src/(app/copy|product/(document-title|open-chat))\.ts`,
        String.raw`src/ui/(button|choice-group|delayed|link|loaded-part|toast-store)\.tsx?`,
      ].join('|'),
    ),
  },
  {
    // These schemas stay in one chunk. The page /receipt needs only a few of them, and would otherwise split it.
    name: 'schemas',
    priority: 1,
    includeDependenciesRecursively: false,
    test: /node_modules\/zod\/|contract\/dist\/(image-markers|last-message|safety|scalars|standing|text|uploads|users)\.js|src\/product\/user-response\.ts/,
  },
  {
    name: 'chat-libraries',
    priority: 1,
    includeDependenciesRecursively: false,
    // Lists the modules by name. Otherwise a page that shares only some of them would split the chunk, and smaller
    // chunks compress worse.
    test: new RegExp(
      [
        // Only /moderation uses infinite queries.
        String.raw`node_modules/@tanstack/(query-core|react-query)/(?!.*[iI]nfiniteQuery(Observer|Options|\.))`,
        String.raw`node_modules/@radix-ui/(primitive|react-(compose-refs|context|use-(?!size|is-hydrated)[a-z-]+|id|slot|primitive))/`,
        String.raw`node_modules/@radix-ui/react-(dismissable-layer|focus-scope|portal|presence|focus-guards|dialog)/`,
        String.raw`node_modules/(tslib|react-remove-scroll|use-callback-ref|use-sidecar|get-nonce|react-style-singleton|aria-hidden)`,
        String.raw`src/ui/(modal|popover|focus-return|use-pull-to-dismiss|skeleton|load-error|empty-state|list-skeleton)\.tsx?`,
        String.raw`src/(lib/(query-client|time)|product/(profile-query|refresh-standing)|ui/copy)\.ts`,
        String.raw`src/app/(with-queries|use-session-check)\.tsx?`,
        String.raw`src/features/(friends|safety)/copy\.ts`,
        String.raw`src/features/(safety/stores/block-dialog|my-data/deletion/account-deletion)\.store\.ts`,
      ].join('|'),
    ),
  },
  {
    // What the chat shares with the landing page, which shows sample chats made of the same components.
    name: 'sample-chat',
    priority: 1,
    includeDependenciesRecursively: false,
    test: /src\/(ui\/(avatar|presence-dot)\.tsx|chat-ui\/message\/bubble\.tsx|lib\/(swipe|page-limits)\.ts)/,
  },
  { name: 'icons', minShareCount: 2, test: /node_modules\/lucide-react\// },
];

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadFont(), dropUnusedRouterParts(), dropUnusedSchemas()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Lets the bundler drop an unused class whose superclass is read from an object, as in `extends React.Component`.
      treeshake: { propertyReadSideEffects: false },
      output: { codeSplitting: { groups: sharedChunks } },
    },
    // Inlines no asset as a data: URL, because the Content-Security-Policy forbids them for fonts and scripts.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      '/api': { target: apiAddress, changeOrigin: false },
      '/ws': { target: apiAddress, ws: true, changeOrigin: false },
    },
  },
});
