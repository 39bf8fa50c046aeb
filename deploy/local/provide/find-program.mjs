import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** The first of these programs that is found: on PATH, then in the further folders. Undefined when none is. */
export function findProgram(names, furtherFolders = []) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...furtherFolders].filter(Boolean);
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
