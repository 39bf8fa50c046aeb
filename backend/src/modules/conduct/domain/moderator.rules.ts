import { DomainError } from '../../../platform/errors/domain.errors';
import { type ConductCase, type ConductState, listReportsOfCase } from './conduct-state.types';

/** The moderator who acts, and the user whom the case is about. */
interface ActingModerator {
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

/** @throws DomainError own_decision when the case is about the moderator, or one of its reports is theirs */
export const requireUninvolved = (
  state: ConductState,
  caseId: number,
  { userId, moderatorId, excludedModeratorIds = [] }: ActingModerator,
): void => {
  const hasReported = listReportsOfCase(state, caseId).some(({ reporterId }) => reporterId === moderatorId);
  if (moderatorId === userId || hasReported || excludedModeratorIds.includes(moderatorId))
    throw new DomainError('own_decision');
};

/** @throws DomainError claimed when another moderator works on the case */
export const requireUnclaimed = (
  { claim }: ConductCase,
  { moderatorId, at }: Pick<ActingModerator, 'moderatorId' | 'at'>,
): void => {
  if (claim && claim.moderatorId !== moderatorId && claim.until > at) throw new DomainError('claimed');
};

/** @throws DomainError case_changed when something happened since the moderator read the case */
export const requireVersion = (state: ConductState, version: number): void => {
  if (state.version !== version) throw new DomainError('case_changed');
};

/**
 * A decision is reviewed by another moderator. The only moderator may review their own after `soloReviewAfterMs`.
 * @param first the reviewed decision; `moderatorId` is null for an automatic one
 * @returns whether the only moderator reviews their own decision
 * @throws DomainError own_decision
 */
export const requireSecondModerator = (
  first: { moderatorId: number | null; at: Date },
  {
    moderatorId,
    isOnlyModerator,
    at,
  }: Pick<ActingModerator, 'moderatorId' | 'at'> & { isOnlyModerator: boolean },
  soloReviewAfterMs: number,
): boolean => {
  if (first.moderatorId !== moderatorId) return false;
  if (!isOnlyModerator || at.getTime() - first.at.getTime() < soloReviewAfterMs)
    throw new DomainError('own_decision');
  return true;
};
