// The types of temporary-homes.mjs, for tests written in TypeScript.

/** Creates a home folder that is abandoned, and may be swept, once this process has ended. */
export function makeTemporaryHome(parent?: string): string;

/** Ends all processes of a home and of homes inside it, and deletes it. */
export function endTemporaryHome(home: string): Promise<void>;
