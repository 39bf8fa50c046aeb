/**
 * The configured limits of the conduct decider. The first three control automatic care, which needs no moderator: a
 * user whom several others report within `careWindowMs` is flagged, and is suspended at a higher number of reporters.
 */
export interface ConductPolicy {
  /** Period in which the distinct reporters of a user are counted. */
  careWindowMs: number;
  /** From this number of distinct reporters on, a user is flagged: they are matched only with other flagged users. */
  reportersToFlag: number;
  /** From this number of distinct reporters on, a user is suspended automatically. */
  reportersToSuspend: number;
  /**
   * Time for a moderator's review. An automatic suspension after reports lasts this long. A ban that no second
   * moderator confirms in this time becomes a suspension.
   */
  reviewMs: number;
  /**
   * A decision is reviewed by another moderator. If there is only one moderator, they may review their own decision
   * this long after they made it, or after an appeal against it was filed.
   */
  soloReviewAfterMs: number;
  /** A notice can be appealed for this long after it was sent. */
  appealWithinMs: number;
}
