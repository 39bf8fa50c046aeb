import { DomainError } from '../../../platform/errors/domain.errors';
import { type ConductCase, type ConductState, listReportsOfCase } from './conduct-state.types';

/** What these rules read from a command of a moderator. */
interface ModeratorCommandFields {
  /** The user whom the case is about. */
  userId: number;
  moderatorId: number;
  at: Date;
  /** Moderators who are friends of the user or of a reporter. */
  excludedModeratorIds?: readonly number[];
}

/** @throws DomainError not_found */
export const requireCase = ({ cases }: ConductState, caseId: number): ConductCase => {
  const found = cases.get(caseId);
  if (!found) throw new DomainError('not_found');
  return found;
};

/** @throws DomainError own_decision when the case is about the moderator, or they are a reporter, or excluded */
export const requireUninvolved = (
  state: ConductState,
  caseId: number,
  { userId, moderatorId, excludedModeratorIds = [] }: ModeratorCommandFields,
): void => {
  const isAboutModerator = moderatorId === userId;
  const hasReported = listReportsOfCase(state, caseId).some(({ reporterId }) => reporterId === moderatorId);
  const isExcluded = excludedModeratorIds.includes(moderatorId);
  if (isAboutModerator || hasReported || isExcluded) throw new DomainError('own_decision');
};

/** @throws DomainError claimed when the case is reserved for another moderator */
export const requireNoOtherClaim = (
  { claim }: ConductCase,
  { moderatorId, at }: Pick<ModeratorCommandFields, 'moderatorId' | 'at'>,
): void => {
  if (claim && claim.moderatorId !== moderatorId && claim.until > at) throw new DomainError('claimed');
};

/** @throws DomainError case_changed when the user's conduct stream has changed since the moderator read `version` */
export const requireVersion = (state: ConductState, version: number): void => {
  if (state.version !== version) throw new DomainError('case_changed');
};

/** A decision or an escalation that is reviewed. */
interface ReviewedDecision {
  /** Null for an automatic decision. */
  moderatorId: number | null;
  /** When the decision was made; in an appeal, when the appeal was filed. */
  at: Date;
}

/**
 * A decision is reviewed by another moderator. If there is no other, the moderator may review their own decision after
 * a wait.
 * @param soloReviewAfterMs how long after `firstDecision.at` the only moderator has to wait
 * @returns whether the only moderator reviews their own decision
 * @throws DomainError own_decision
 */
export const requireSecondModerator = (
  firstDecision: ReviewedDecision,
  {
    moderatorId,
    isOnlyModerator,
    at,
  }: Pick<ModeratorCommandFields, 'moderatorId' | 'at'> & { isOnlyModerator: boolean },
  soloReviewAfterMs: number,
): boolean => {
  const isOwnDecision = firstDecision.moderatorId === moderatorId;
  if (!isOwnDecision) return false;
  const hasWaited = at.getTime() - firstDecision.at.getTime() >= soloReviewAfterMs;
  if (!isOnlyModerator || !hasWaited) throw new DomainError('own_decision');
  return true;
};
