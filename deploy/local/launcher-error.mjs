/**
 * An error that the developer can fix, such as a port that is taken. The launcher prints its message, a complete
 * sentence, and exits with code 1.
 */
export class LauncherError extends Error {
  // node-version.mjs recognises the error by this name, because that file must not import the class.
  name = 'LauncherError';
}
