/** The settings that decisions depend on. */
export interface ConductPolicy {
  /** Period in which distinct reporters are counted. */
  careWindowMs: number;
  /** Distinct reporters after whom a user meets only users in the same situation. */
  flagReporters: number;
  /** Distinct reporters after whom a user is suspended automatically. */
  suspendReporters: number;
  /** Duration of an automatic suspension, and the time in which a ban has to be confirmed. */
  reviewMs: number;
  /** After this time the only moderator may take the second look as well. */
  soloReviewAfterMs: number;
  appealWithinMs: number;
}
