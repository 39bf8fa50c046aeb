// Parsed by any Node that knows modules, so: no syntax and no imports of recent years.

const OLDEST = [20, 19];

/**
 * The sentence to say when this Node is too old for Thaw, or an empty string.
 * @param {string} version as in `process.versions.node`
 */
export function nodeTooOld(version) {
  const parts = version.split('.').map(Number);
  const isEnough = parts[0] > OLDEST[0] || (parts[0] === OLDEST[0] && parts[1] >= OLDEST[1]);
  if (isEnough) return '';
  return 'Thaw needs Node ' + OLDEST.join('.') + ' or later, and this is Node ' + version + '.';
}

/**
 * Runs a command module's `main`, unless Node is too old: then one sentence and exit code 1.
 * The module is loaded only after the check, because an old Node could not even read it.
 * @param {() => Promise<{main: (args: string[]) => Promise<void>}>} load
 */
export function runCommand(load) {
  const complaint = nodeTooOld(process.versions.node);
  if (complaint) {
    console.error(complaint);
    process.exit(1);
  }
  load()
    .then(function (command) {
      return command.main(process.argv.slice(2));
    })
    .catch(function (error) {
      // A Complaint is a sentence meant for the reader; anything else is a bug and keeps its stack.
      console.error(error && error.name === 'Complaint' ? '\n' + error.message : error);
      process.exit(1);
    });
}
