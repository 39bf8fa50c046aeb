// The last step of the build: replaces dist/main.api.js by one file with all modules of an api process. Node loads one
// large file faster than 440 small ones (docs/decisions/0082). Packages are not included.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = resolve(dirname(fileURLToPath(import.meta.url)), '../dist');
const entry = join(dist, 'main.api.js');

const isPackage = (id) => !id.startsWith('.') && !isAbsolute(id);

/** Loads a compiled file with its source map, so that stack traces of the bundle name the TypeScript sources. */
const compiledFiles = {
  name: 'compiled-files',
  load(id) {
    const map = `${id}.map`;
    // In the bundle, `__dirname` is `dist`, but the compiled file expects its own folder.
    const ownFolder = `require("node:path").join(__dirname, ${JSON.stringify(relative(dist, dirname(id)))})`;
    return {
      code: readFileSync(id, 'utf8').replaceAll('__dirname', ownFolder),
      map: existsSync(map) ? JSON.parse(readFileSync(map, 'utf8')) : undefined,
      moduleType: 'js',
    };
  },
};

const bundle = await rolldown({
  input: entry,
  platform: 'node',
  external: isPackage,
  plugins: [compiledFiles],
  onwarn: ({ message }) => {
    throw new Error(`dist/main.api.js cannot be bundled: ${message}`);
  },
});
await bundle.write({ file: entry, format: 'cjs', sourcemap: true });
await bundle.close();
