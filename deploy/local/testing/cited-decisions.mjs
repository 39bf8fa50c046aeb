import { readFile } from './repository-files.mjs';

/** Files that may cite decisions. */
const CITING_FILE = /\.(ts|tsx|mts|mjs|cjs|js|css|json|sh|yml|sql|template|conf|md)$/;
/** The number of a product decision, such as A01, A120 or B01. */
const DECISION_NUMBER = /\b(?:[AB](?:0[1-9]|[1-9]\d)|A1\d\d)\b/g;

/**
 * Collects the decisions of docs/product-decisions.md that code and Markdown pages cite by number.
 * @param {string[]} files  paths from the root of the repository
 * @returns {Map<string, string>} maps the number of each cited decision to a file that cites it
 */
export function collectCitedDecisions(files) {
  const citingFiles = new Map();
  for (const file of files) {
    // The hashes in package-lock.json may contain such numbers by chance.
    if (!CITING_FILE.test(file) || file === 'package-lock.json') continue;
    for (const [number] of readFile(file).matchAll(DECISION_NUMBER)) citingFiles.set(number, file);
  }
  return citingFiles;
}
