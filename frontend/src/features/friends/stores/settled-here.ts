/** Requests that became friendships by what this page did, and that it has shown a toast for. */
export const settledHere = new Set<number>();
