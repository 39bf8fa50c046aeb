import fs from 'node:fs';

const POLL_INTERVAL_MS = 250;

/**
 * Prints the lines that are appended to log files from now on, each prefixed with the name of its log.
 * @param {Record<string, string>} files  path of each log file, by the name of the log
 * @param {(line: string) => void} print
 * @returns {() => void} prints the remaining complete lines and stops following
 */
export function followLogs(files, print) {
  const followed = Object.entries(files).map(([name, file]) => ({
    name,
    file,
    offset: readFileSize(file),
    partialLine: '',
  }));
  const poll = () => followed.forEach((log) => printNewLines(log, print));
  const timer = setInterval(poll, POLL_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    poll();
  };
}

function printNewLines(log, print) {
  const size = readFileSize(log.file);
  // A smaller file was truncated or replaced, so read it from the start.
  if (size < log.offset) log.offset = 0;
  if (size === log.offset) return;
  const chunk = Buffer.alloc(size - log.offset);
  const descriptor = fs.openSync(log.file, 'r');
  fs.readSync(descriptor, chunk, 0, chunk.length, log.offset);
  fs.closeSync(descriptor);
  log.offset = size;
  const lines = (log.partialLine + chunk.toString('utf8')).split('\n');
  log.partialLine = lines.pop();
  lines.forEach((line) => print(`${log.name} │ ${line}`));
}

const readFileSize = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
