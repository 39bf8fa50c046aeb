// The types of node-packages.mjs that tests written in TypeScript need.

/** The command line of npm. */
export function npmCommand(): string[];
