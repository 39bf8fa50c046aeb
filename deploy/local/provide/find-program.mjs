import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Finds the first of these programs on PATH or in additional folders. @returns its path, or undefined */
export function findProgram(names, additionalFolders = []) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...additionalFolders].filter(Boolean);
  for (const name of names) {
    const found = folders.map((folder) => path.join(folder, name)).find(isExecutable);
    if (found) return found;
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
