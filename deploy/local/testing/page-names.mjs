import fs from 'node:fs';
import { resolveInRepository } from '../paths.mjs';

// Lists the files, folders and identifiers that a page names in backticks, for `documentation.test.mjs`. A page is a
// Markdown file of the repository. A placeholder in a name, such as `<feature>`, is written as `*` here.

/**
 * A file name with a known suffix, with or without its folders.
 * - matches: `user.state.ts`, `domain/user.state.ts`, `*.decider.ts`
 * - does not match: `.thaw/run.json`, since a run creates the files in `.thaw`; `main.js`, since compiled files are not
 *   in the repository
 */
const FILE_NAME =
  /^(?!\.thaw\/)(?:[\w.*-]+\/)*[\w.*-]+\.(ts|tsx|mts|mjs|cjs|css|json|sh|yml|sql|md|conf|template)$/;
/**
 * The path of a folder, or of a file with another suffix. It contains a slash, but does not begin with one.
 * - matches: `deploy/local`, `.github/workflows/`, `backend/.swcrc`
 * - does not match: the route `/health/live`, the package `@nestjs/core`, the network `10.0.0.0/8`, `.thaw/logs`
 *
 * It also matches some names that are not paths, such as the package `radix-ui/internal`. `startsWithExistingFolder`
 * excludes them.
 */
const OTHER_PATH = /^(?!\.thaw\/|[\d.]+\/)\.?[\w-][\w.*-]*(\/[\w.*-]+)+\/?$/;
/**
 * An identifier in backticks, perhaps with the `@` of a decorator, or with type parameters or arguments.
 * - matches: `REDIS_URL`, `@InTransaction('AccountCreated', 1)`, `Map<string, number>`
 * - does not match: `npm test`, `chat.ts`
 */
const IDENTIFIER = /`@?([A-Za-z]\w+)(?:[<(][^`\n]*)?`/g;

/** Folders that pages may leave out at the beginning of a path. */
const OMITTED_FOLDERS = [
  '', // for complete paths
  'backend/',
  'backend/src/',
  'backend/src/modules/',
  'frontend/',
  'frontend/src/',
  'docs/',
];

/** Lists the files and folders that a page names in backticks, outside of code blocks. */
export const listNamedFiles = (text) =>
  [...removeCodeBlocks(text).matchAll(/`([^`\n]+)`/g)]
    .map(([, code]) => code.replace(/<[\w-]+>/g, '*'))
    .filter((code) => FILE_NAME.test(code) || (OTHER_PATH.test(code) && startsWithExistingFolder(code)));

/**
 * Whether the first folder of the path is in the repository, perhaps in one of `OMITTED_FOLDERS`. If it is not, the
 * name is that of something else, such as a package or the volume of a container.
 */
const startsWithExistingFolder = (namedPath) => {
  const [firstFolder] = namedPath.split('/');
  return OMITTED_FOLDERS.some((omitted) => fs.existsSync(resolveInRepository(omitted, firstFolder)));
};

/**
 * Whether a name from `listNamedFiles` is in the repository. A file may be named by its name alone, or with any of its
 * last folders. The path of a folder must be complete, except that it may begin after one of `OMITTED_FOLDERS`.
 */
export function isInRepository(namedPath, files) {
  const pattern = namedPath.replace(/\./g, '\\$&').replace(/\*/g, '[^/]*').replace(/\/$/, '');
  const expression = FILE_NAME.test(namedPath)
    ? new RegExp(`(^|/)${pattern}$`)
    : new RegExp(`^(${OMITTED_FOLDERS.join('|')})${pattern}(/|$)`);
  return files.some((file) => expression.test(file));
}

/**
 * Lists the identifiers that a page names in backticks, outside of code blocks: settings, frames, functions, types.
 * Omits identifiers without an underscore or an inner capital, since they may be ordinary words.
 */
export const listNamedIdentifiers = (text) =>
  [...removeCodeBlocks(text).matchAll(IDENTIFIER)]
    .map(([, identifier]) => identifier)
    .filter((identifier) => /_|[a-z][A-Z]/.test(identifier));

const removeCodeBlocks = (text) => text.replace(/^```.*?^```/gms, '');
