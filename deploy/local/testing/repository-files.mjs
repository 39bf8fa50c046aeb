import fs from 'node:fs';
import { resolveInRepository } from '../paths.mjs';

const IGNORED_NAMES = new Set([
  'node_modules',
  'dist',
  '.git',
  '.nx',
  '.thaw',
  'test-results',
  'playwright-report',
]);

/**
 * Lists the files of the repository, except installed and built ones.
 * @returns {string[]} paths from the root, with `/`
 */
export function listRepositoryFiles(folder = '') {
  return fs.readdirSync(resolveInRepository(folder || '.'), { withFileTypes: true }).flatMap((entry) => {
    const entryPath = folder ? `${folder}/${entry.name}` : entry.name;
    if (IGNORED_NAMES.has(entry.name)) return [];
    return entry.isDirectory() ? listRepositoryFiles(entryPath) : [entryPath];
  });
}

export const readFile = (file) => fs.readFileSync(resolveInRepository(file), 'utf8');

/** Reads the Markdown pages among these files. @returns {{ file: string, text: string }[]} */
export const readPages = (files) =>
  files.filter((file) => file.endsWith('.md')).map((file) => ({ file, text: readFile(file) }));
