/** Requests that this page itself settled, with a toast; their `friendship_accepted` frames show no second one. */
export const requestIdsSettledHere = new Set<number>();
