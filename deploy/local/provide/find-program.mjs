import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/**
 * Finds the first of these programs that exists on PATH or in the additional folders, which come after PATH.
 * @param {string[]} names  in order of preference
 * @returns {string | undefined} the path of the program
 */
export function findProgram(names, additionalFolders = []) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...additionalFolders].filter(Boolean);
  for (const name of names) {
    const program = folders.map((folder) => path.join(folder, name)).find(isExecutable);
    if (program) return program;
  }
  return undefined;
}

function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
