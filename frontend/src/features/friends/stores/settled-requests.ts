/**
 * Ids of the friend requests that this page itself has accepted or declined. The page shows a toast when it does so,
 * and no second one for the `friendship_accepted` frame that follows.
 */
export const requestIdsSettledByThisPage = new Set<number>();
