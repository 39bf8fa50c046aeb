import { DomainError } from '../../../platform/errors/domain.errors';
import { type ConductCase, type ConductState, listReportsOfCase } from './conduct-state.types';

/** What these rules read from a command of a moderator. `userId`: the user whom the case is about. */
interface ModeratorCommandFields {
  userId: number;
  moderatorId: number;
  at: Date;
  excludedModeratorIds?: readonly number[];
}

/** @throws DomainError not_found */
export const requireCase = ({ cases }: ConductState, caseId: number): ConductCase => {
  const found = cases.get(caseId);
  if (!found) throw new DomainError('not_found');
  return found;
};

/**
 * @throws DomainError own_decision when the case is about the moderator, when they have filed one of its reports, or
 * when they are excluded as a friend of the user or of a reporter
 */
export const requireUninvolved = (
  state: ConductState,
  caseId: number,
  { userId, moderatorId, excludedModeratorIds = [] }: ModeratorCommandFields,
): void => {
  const hasReported = listReportsOfCase(state, caseId).some(({ reporterId }) => reporterId === moderatorId);
  if (moderatorId === userId || hasReported || excludedModeratorIds.includes(moderatorId))
    throw new DomainError('own_decision');
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

/**
 * A decision is reviewed by another moderator. The only moderator may review their own, but has to wait first.
 * @param firstDecision the reviewed decision or escalation; `moderatorId` is null for an automatic one; `at` is when it
 * was made, or when the appeal against it was filed
 * @param soloReviewAfterMs how long after `firstDecision.at` the only moderator has to wait
 * @returns true if the only moderator reviews their own decision
 * @throws DomainError own_decision
 */
export const requireSecondModerator = (
  firstDecision: { moderatorId: number | null; at: Date },
  {
    moderatorId,
    isOnlyModerator,
    at,
  }: Pick<ModeratorCommandFields, 'moderatorId' | 'at'> & { isOnlyModerator: boolean },
  soloReviewAfterMs: number,
): boolean => {
  if (firstDecision.moderatorId !== moderatorId) return false;
  if (!isOnlyModerator || at.getTime() - firstDecision.at.getTime() < soloReviewAfterMs)
    throw new DomainError('own_decision');
  return true;
};
