/**
 * The configured limits of the conduct decider. Automatic care is what happens without a moderator when several users
 * report the same user within `careWindowMs`: the user is flagged, and suspended if more users report them.
 */
export interface ConductPolicy {
  /** Period in which the distinct reporters of a user are counted. */
  careWindowMs: number;
  /** From this number of distinct reporters on, a user is flagged: they are matched only with other flagged users. */
  reportersToFlag: number;
  /** From this number of distinct reporters on, a user is suspended automatically. */
  reportersToSuspend: number;
  /** Time for a moderator's review: an automatic suspension lasts this long, and a ban is confirmed within it. */
  reviewMs: number;
  /** If only one moderator is appointed, they may review their own decision after this time. */
  soloReviewAfterMs: number;
  /** A notice can be appealed for this long after it was sent. */
  appealWithinMs: number;
}
