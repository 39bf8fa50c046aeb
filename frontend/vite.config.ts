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
 * Lets the bundler drop unused components of React Router, which saves 3 kB (gzip) on every page. Two things would keep
 * them: statements that set their `displayName`, and calls that create them and may have side effects. The plugin also
 * removes the library's development warnings (0.5 kB).
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
 * that a page sends. The plugin marks the calls of the schema library (zod, imported as `z`) as free of side effects.
 */
const dropUnusedSchemas = (): Plugin => ({
  name: 'thaw-drop-unused-schemas',
  apply: 'build',
  transform: {
    filter: { id: /contract\/dist\/[^/]+\.js$/ },
    handler: (code) => ({ code: code.replace(/\bz\.\w+\(/g, '/* @__PURE__ */ $&'), map: null }),
  },
});

const matchAny = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'));

/**
 * Groups the code that routes share into a few chunks. Otherwise the bundler would create about twenty chunks of 1 kB,
 * and over HTTP/1.1 a browser loads only six files at a time.
 * - `priority`: a module that several groups match belongs to the one with the highest priority.
 * - `includeDependenciesRecursively: false`: a group contains only the modules that match, not also their imports.
 */
const sharedChunks = [
  {
    // Every page needs these modules.
    name: 'base',
    priority: 2,
    test: matchAny(
      String.raw`node_modules/(react|react-dom|scheduler|react-router|react-router-dom|react-error-boundary)/`,
      String.raw`node_modules/(zustand|clsx|class-variance-authority|lucide-react/dist/esm/(?!icons))`,
      'vite/preload-helper',
      String.raw`contract/dist/limits\.js`,
      String.raw`src/lib/(api-client|class-names|missing-chunk|report-error|storage|stored-value)\.ts`,
      String.raw`src/(app/copy|product/(document-title|open-chat))\.ts`,
      String.raw`src/ui/(button|choice-group|delayed|link|loaded-part|toast-store)\.tsx?`,
    ),
  },
  {
    // The page /receipt needs only a few of these schemas. Without the group, the bundler would put those few into a
    // chunk of their own.
    name: 'schemas',
    priority: 1,
    includeDependenciesRecursively: false,
    test: matchAny(
      'node_modules/zod/',
      String.raw`contract/dist/(image-markers|last-message|safety|scalars|standing|text|uploads|users)\.js`,
      String.raw`src/product/user-response\.ts`,
    ),
  },
  {
    // /chat and its dialogs need these modules. Without the group, the bundler would split them by the pages that share
    // them, and smaller chunks compress worse.
    name: 'chat-libraries',
    priority: 1,
    includeDependenciesRecursively: false,
    test: matchAny(
      // Without infinite queries, which only /moderation uses.
      String.raw`node_modules/@tanstack/(query-core|react-query)/(?!.*[iI]nfiniteQuery(Observer|Options|\.))`,
      String.raw`node_modules/@radix-ui/(primitive|react-(compose-refs|context|use-(?!size|is-hydrated)[a-z-]+|id|slot|primitive))/`,
      String.raw`node_modules/@radix-ui/react-(dismissable-layer|focus-scope|portal|presence|focus-guards|dialog)/`,
      String.raw`node_modules/(tslib|react-remove-scroll|use-callback-ref|use-sidecar|get-nonce|react-style-singleton|aria-hidden)`,
      String.raw`src/ui/(modal|popover|focus-return|use-pull-to-dismiss|skeleton|load-error|empty-state|list-skeleton)\.tsx?`,
      String.raw`src/(lib/(query-client|time)|product/(profile-query|refresh-standing)|ui/copy)\.ts`,
      String.raw`src/app/(with-queries|use-session-check)\.tsx?`,
      String.raw`src/features/(friends|safety)/copy\.ts`,
      String.raw`src/features/(safety/stores/block-dialog|my-data/deletion/account-deletion)\.store\.ts`,
    ),
  },
  {
    // The chat shares these modules with the landing page, which shows sample chats.
    name: 'sample-chat',
    priority: 1,
    includeDependenciesRecursively: false,
    test: matchAny(
      String.raw`src/ui/(avatar|presence-dot)\.tsx`,
      String.raw`src/chat-ui/message/bubble\.tsx`,
      String.raw`src/lib/(swipe|page-limits)\.ts`,
    ),
  },
  // Icons that only one page or part needs stay in its chunk.
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
    // Inlines no asset as a `data:` URL: the Content-Security-Policy forbids these URLs for fonts and scripts.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      '/api': { target: apiAddress, changeOrigin: false },
      '/ws': { target: apiAddress, ws: true, changeOrigin: false },
    },
  },
});
