// The types of temporary-homes.mjs, for tests written in TypeScript.

/** Creates a home folder for this process. Once the process has ended, a sweep may delete the folder. */
export function makeTemporaryHome(parent?: string): string;

/** Ends all processes of a home folder and of the temporary homes inside it, and deletes the folder. */
export function deleteTemporaryHome(home: string): Promise<void>;
