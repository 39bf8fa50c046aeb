import fs from 'node:fs';
import path from 'node:path';
import { inRepository } from '../places.mjs';

const IGNORED = new Set([
  'node_modules',
  'dist',
  '.git',
  '.nx',
  '.thaw',
  'test-results',
  'playwright-report',
]);
const CODE = /\.(ts|tsx|mts|mjs|cjs|js|css|json|sh|yml|sql|template|conf)$/;

/**
 * All files of the repository, except installed and built ones.
 * @returns {string[]} paths from the root, with `/`
 */
export function repositoryFiles(folder = '') {
  return fs.readdirSync(inRepository(folder || '.'), { withFileTypes: true }).flatMap((entry) => {
    const name = folder ? `${folder}/${entry.name}` : entry.name;
    if (IGNORED.has(entry.name)) return [];
    return entry.isDirectory() ? repositoryFiles(name) : [name];
  });
}

/** @returns {{ file: string, text: string }[]} the Markdown pages */
export const pages = (files) =>
  files.filter((file) => file.endsWith('.md')).map((file) => ({ file, text: read(file) }));

export const read = (file) => fs.readFileSync(inRepository(file), 'utf8');

/** Targets of a page's Markdown links to files of the repository, relative to the root, with their anchors. */
export const localLinks = ({ file, text }) =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [to, anchor] = target.split('#');
      return { to: to ? path.posix.join(path.posix.dirname(file), to) : file, anchor };
    });

/** The anchor that GitHub generates for a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

export const anchorsOf = (text) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));

const NAMED_FILE =
  /^(?!\.thaw\/)(?:[\w.*-]+\/)*[\w.*-]+\.(ts|tsx|mts|mjs|cjs|css|json|sh|yml|sql|md|conf|template)$/;
/** Not a package (`@nestjs/…`), a network (`10.0.0.0/8`), what is built or what a run leaves in `.thaw`. */
const NAMED_PATH = /^(?!\.thaw\/|[\d.]+\/)\.?[\w-][\w.*-]*(\/[\w.*-]+)+\/?$/;

/** Folders that pages may leave out. */
const ROOTS = ['', 'backend/', 'backend/src/', 'backend/src/modules/', 'frontend/', 'frontend/src/', 'docs/'];

/** Whether a folder begins with one of the repository; `radix-ui/internal` does not. */
const startsInRepository = (named) =>
  ROOTS.some((root) => fs.existsSync(inRepository(root, named.split('/')[0])));

/**
 * Paths and file names that a page has in backticks; a placeholder such as `<feature>` stands for any name.
 * What is no path of the repository, such as a package's name or a volume in a container, is left out.
 */
export const namedFiles = (text) =>
  [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)]
    .map(([, code]) => code.replace(/<[\w-]+>/g, '*'))
    .filter((code) => NAMED_FILE.test(code) || (NAMED_PATH.test(code) && startsInRepository(code)));

/** Whether a name from `namedFiles` is a file or folder of the repository; of a file, pages may give the end of its path. */
export function isFile(named, files) {
  const source = named.replace(/[.@]/g, '\\$&').replace(/\*/g, '[^/]*').replace(/\/$/, '');
  const expression = NAMED_FILE.test(named)
    ? new RegExp(`(^|/)${source}$`)
    : new RegExp(`^(${ROOTS.join('|')})${source}(/|$)`);
  return files.some((file) => expression.test(file));
}

/** Identifiers of the code that a page has in backticks: settings, frames, functions, types. */
export const namedIdentifiers = (text) =>
  [...text.replace(/^```.*?^```/gms, '').matchAll(/`@?([A-Za-z]\w+)(?:[<(][^`\n]*)?`/g)]
    .map(([, identifier]) => identifier)
    .filter((identifier) => /_|[a-z][A-Z]/.test(identifier));

/** Numbers of product decisions that code and pages cite, each with a file that does. */
export function citedDecisions(files) {
  const cited = new Map();
  for (const file of files) {
    if (!(CODE.test(file) || file.endsWith('.md')) || file === 'package-lock.json') continue;
    for (const [number] of read(file).matchAll(/\b(?:A(?:0[1-9]|[1-9]\d|1\d\d)|B\d\d)\b/g))
      cited.set(number, file);
  }
  return cited;
}
