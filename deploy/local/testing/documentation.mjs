import fs from 'node:fs';
import path from 'node:path';
import { resolveInRepository } from '../paths.mjs';

// Functions for documentation.test.mjs, which checks the Markdown pages against the repository.

const IGNORED_NAMES = new Set([
  'node_modules',
  'dist',
  '.git',
  '.nx',
  '.thaw',
  'test-results',
  'playwright-report',
]);
/** Files, besides pages, in which decisions are cited. */
const CODE_FILE = /\.(ts|tsx|mts|mjs|cjs|js|css|json|sh|yml|sql|template|conf)$/;

/**
 * Lists the files of the repository, except installed and built ones.
 * @returns {string[]} paths from the root, with `/`
 */
export function listRepositoryFiles(folder = '') {
  return fs.readdirSync(resolveInRepository(folder || '.'), { withFileTypes: true }).flatMap((entry) => {
    const name = folder ? `${folder}/${entry.name}` : entry.name;
    if (IGNORED_NAMES.has(entry.name)) return [];
    return entry.isDirectory() ? listRepositoryFiles(name) : [name];
  });
}

/** Reads the Markdown pages among these files. @returns {{ file: string, text: string }[]} */
export const readPages = (files) =>
  files.filter((file) => file.endsWith('.md')).map((file) => ({ file, text: readFile(file) }));

export const readFile = (file) => fs.readFileSync(resolveInRepository(file), 'utf8');

/**
 * Lists the Markdown links of a page to files of the repository.
 * @returns {{ target: string, anchor?: string }[]} the path of each target from the root, and its anchor
 */
export const listLocalLinks = ({ file, text }) =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [relativePath, anchor] = link.split('#');
      const target = relativePath ? path.posix.join(path.posix.dirname(file), relativePath) : file;
      return { target, anchor };
    });

/** Returns the anchor that GitHub generates for a heading. */
const toAnchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** Lists the anchors of the headings of a page. */
export const listAnchors = (text) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => toAnchor(heading));

/**
 * A file name with a known suffix, with or without its folders; `*` stands for a placeholder (see `listNamedFiles`).
 * Excludes a path under `.thaw/`, which a run creates, and the suffix `.js`: pages also name compiled files.
 */
const FILE_NAME =
  /^(?!\.thaw\/)(?:[\w.*-]+\/)*[\w.*-]+\.(ts|tsx|mts|mjs|cjs|css|json|sh|yml|sql|md|conf|template)$/;
/**
 * A path with a slash. The lookahead excludes a path under `.thaw/` and a network (`10.0.0.0/8`); a package
 * (`@nestjs/…`) does not match because of its `@`.
 */
const REPOSITORY_PATH = /^(?!\.thaw\/|[\d.]+\/)\.?[\w-][\w.*-]*(\/[\w.*-]+)+\/?$/;

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

/** Whether the first folder of a path exists in the repository; `radix-ui` in `radix-ui/internal` does not. */
const startsInRepository = (namedPath) =>
  OMITTED_FOLDERS.some((root) => fs.existsSync(resolveInRepository(root, namedPath.split('/')[0])));

const removeCodeBlocks = (text) => text.replace(/^```.*?^```/gms, '');

/**
 * Lists the paths and file names that a page contains in backticks, outside of code blocks. A placeholder such as
 * `<feature>` becomes `*`. Packages and volumes of containers also have names with a slash; `startsInRepository` omits
 * them.
 */
export const listNamedFiles = (text) =>
  [...removeCodeBlocks(text).matchAll(/`([^`\n]+)`/g)]
    .map(([, code]) => code.replace(/<[\w-]+>/g, '*'))
    .filter((code) => FILE_NAME.test(code) || (REPOSITORY_PATH.test(code) && startsInRepository(code)));

/**
 * Whether a name from `listNamedFiles` is a file or folder of the repository. For a file, the end of its path is
 * enough; the path of a folder must be complete, but may leave out one of `OMITTED_FOLDERS`.
 */
export function isInRepository(namedPath, files) {
  const pattern = namedPath.replace(/\./g, '\\$&').replace(/\*/g, '[^/]*').replace(/\/$/, '');
  const expression = FILE_NAME.test(namedPath)
    ? new RegExp(`(^|/)${pattern}$`)
    : new RegExp(`^(${OMITTED_FOLDERS.join('|')})${pattern}(/|$)`);
  return files.some((file) => expression.test(file));
}

/**
 * Lists the identifiers that a page contains in backticks, outside of code blocks: settings, frames, functions, types.
 * Omits identifiers without an underscore or an inner capital, since they may be ordinary words.
 */
export const listNamedIdentifiers = (text) =>
  // Around the identifier: an `@` of a decorator, and type parameters or arguments.
  [...removeCodeBlocks(text).matchAll(/`@?([A-Za-z]\w+)(?:[<(][^`\n]*)?`/g)]
    .map(([, identifier]) => identifier)
    .filter((identifier) => /_|[a-z][A-Z]/.test(identifier));

/**
 * Collects the product decisions that code and pages cite by their numbers (A01…, B01…).
 * @returns {Map<string, string>} one file that cites the decision, by the number of the decision
 */
export function collectCitedDecisions(files) {
  const citingFiles = new Map();
  for (const file of files) {
    if (!(CODE_FILE.test(file) || file.endsWith('.md')) || file === 'package-lock.json') continue;
    for (const [number] of readFile(file).matchAll(/\b(?:A(?:0[1-9]|[1-9]\d|1\d\d)|B\d\d)\b/g))
      citingFiles.set(number, file);
  }
  return citingFiles;
}
