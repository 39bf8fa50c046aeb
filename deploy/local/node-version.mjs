// Old versions of Node must be able to parse this file: no recent syntax, no imports.

// Major and minor version, as in "engines" of package.json.
const OLDEST_VERSION = [20, 19];

/**
 * Checks the version of Node.
 * @param {string} version as in `process.versions.node`
 * @returns {string} the error message if this version is too old for Thaw, else an empty string
 */
export function explainOldNode(version) {
  const parts = version.split('.').map(Number);
  const isRecentEnough =
    parts[0] > OLDEST_VERSION[0] || (parts[0] === OLDEST_VERSION[0] && parts[1] >= OLDEST_VERSION[1]);
  if (isRecentEnough) return '';
  return 'Thaw needs Node ' + OLDEST_VERSION.join('.') + ' or later, and this is Node ' + version + '.';
}

/**
 * Runs the `main` of a command module. If Node is too old, prints one sentence and exits with code 1.
 * The module is loaded after the check, because an old Node could not parse it.
 * @param {() => Promise<{main: (args: string[]) => Promise<void>}>} load
 */
export function checkNodeThenRun(load) {
  const message = explainOldNode(process.versions.node);
  if (message) {
    console.error(message);
    process.exit(1);
  }
  load()
    .then(function (command) {
      return command.main(process.argv.slice(2));
    })
    .catch(function (error) {
      // The message of a LauncherError is written for the developer; anything else is a bug and is printed with its
      // stack.
      console.error(error && error.name === 'LauncherError' ? '\n' + error.message : error);
      process.exit(1);
    });
}
