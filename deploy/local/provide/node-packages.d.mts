// Types of node-packages.mjs for tests written in TypeScript.

/** The command line of npm. */
export function getNpmCommand(): string[];
