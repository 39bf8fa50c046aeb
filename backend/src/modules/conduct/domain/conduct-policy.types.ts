/** The settings that decisions depend on. */
export interface ConductPolicy {
  /** Period in which distinct reporters are counted. */
  careWindowMs: number;
  /** From this number of distinct reporters on, a user is flagged: they are matched only with other flagged users. */
  flagReporters: number;
  /** From this number of distinct reporters on, a user is suspended automatically. */
  suspendReporters: number;
  /** Duration of an automatic suspension, and the time in which a ban has to be confirmed. */
  reviewMs: number;
  /** After this time the only moderator may review their own decisions. */
  soloReviewAfterMs: number;
  appealWithinMs: number;
}
