import fs from 'node:fs';

const LOOK_MS = 250;

/**
 * Prints lines appended to log files, each prefixed with the name of its file.
 * @param {Record<string, string>} files  paths by the name to print
 * @param {(line: string) => void} print
 * @returns {() => void} prints what is left and stops following
 */
export function followLogs(files, print) {
  const followed = Object.entries(files).map(([name, file]) => ({ name, file, at: sizeOf(file), rest: '' }));
  const look = () => followed.forEach((log) => printNew(log, print));
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    look();
  };
}

function printNew(log, print) {
  const size = sizeOf(log.file);
  // The file was truncated or replaced.
  if (size < log.at) log.at = 0;
  if (size === log.at) return;
  const piece = Buffer.alloc(size - log.at);
  const file = fs.openSync(log.file, 'r');
  fs.readSync(file, piece, 0, piece.length, log.at);
  fs.closeSync(file);
  log.at = size;
  const lines = (log.rest + piece.toString('utf8')).split('\n');
  log.rest = lines.pop();
  lines.forEach((line) => print(`${log.name} │ ${line}`));
}

const sizeOf = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
