// Types of node-packages.mjs for tests written in TypeScript.

/** Returns the command line of npm. Throws a LauncherError when npm is missing. */
export function getNpmCommand(): [program: string, ...parameters: string[]];
