import { limits } from '@thaw/contract/limits';
import { DomainError } from '../../../platform/errors/domain.errors';
import { createEvent } from './conduct-event.factory';
import type { ConductPolicy } from './conduct-policy.types';
import type { AddNote, ClaimCase, DecideCase, EscalateCase, ReleaseCase } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import {
  type ConductState,
  type ImposedSanction,
  isInForce,
  awaitsModerator,
  listReportsOfCase,
  listSanctionsOfCase,
} from './conduct-state.types';
import { computeClaimEnd } from './conduct.state';
import {
  requireCase,
  requireSecondModerator,
  requireNoOtherClaim,
  requireUninvolved,
  requireVersion,
} from './moderator.rules';

// Codes of refusals:
// - `own_decision`: the moderator is involved in the case, or would review their own decision.
// - `claimed`: another moderator has reserved the case.
// - `case_changed`: events were recorded since the version that the moderator has seen.
// - `already_answered`: the case does not wait for this act any more.

/**
 * Reserves the case for the moderator for some minutes.
 * @throws DomainError not_found, own_decision, claimed, already_answered
 */
export const decideClaim = (command: ClaimCase, state: ConductState): readonly ConductEvent[] => {
  const { caseId, moderatorId, at } = command;
  const conductCase = requireCase(state, caseId);
  requireUninvolved(state, caseId, command);
  requireNoOtherClaim(conductCase, command);
  if (!awaitsModerator(state, conductCase)) throw new DomainError('already_answered');
  return [
    createEvent(command, 'CaseClaimed', { caseId, moderatorId, until: computeClaimEnd(at).toISOString() }),
  ];
};

/** @throws DomainError not_found, claimed */
export const decideRelease = (command: ReleaseCase, state: ConductState): readonly ConductEvent[] => {
  const { caseId, moderatorId, at } = command;
  const conductCase = requireCase(state, caseId);
  requireNoOtherClaim(conductCase, command);
  const { claim } = conductCase;
  const hasClaim = claim?.moderatorId === moderatorId && claim.until > at;
  if (!hasClaim) return [];
  return [createEvent(command, 'CaseReleased', { caseId, moderatorId })];
};

/** @throws DomainError not_found */
export const decideNote = (command: AddNote, state: ConductState): readonly ConductEvent[] => {
  const { caseId, moderatorId, text } = command;
  requireCase(state, caseId);
  return [createEvent(command, 'CaseNoted', { caseId, moderatorId, text })];
};

/**
 * Leaves the decision to another moderator.
 * @throws DomainError not_found, own_decision, claimed, case_changed, already_answered
 */
export const decideEscalation = (command: EscalateCase, state: ConductState): readonly ConductEvent[] => {
  const { caseId, moderatorId, version, reason } = command;
  const conductCase = requireCase(state, caseId);
  requireUninvolved(state, caseId, command);
  requireNoOtherClaim(conductCase, command);
  requireVersion(state, version);
  if (conductCase.state !== 'open') throw new DomainError('already_answered');
  return [createEvent(command, 'CaseEscalated', { caseId, moderatorId, reason })];
};

/** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed */
export const decideCase = (
  command: DecideCase,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => {
  const { ids, caseId, moderatorId, outcome, rule, facts, note, version } = command;
  const conductCase = requireCase(state, caseId);
  requireUninvolved(state, caseId, command);
  // The moderator who escalated the case may decide it only after a wait, and only if there is no other moderator.
  if (conductCase.escalation)
    requireSecondModerator(conductCase.escalation, command, policy.soloReviewAfterMs);
  requireNoOtherClaim(conductCase, command);
  requireVersion(state, version);
  if (conductCase.state === 'decided') throw new DomainError('already_answered');
  requireConsistentDecision(command);
  // Each reporter gets a notice of the decision.
  const reports = listReportsOfCase(state, caseId).map(({ reportId, reporterId }) => ({
    reportId,
    reporterId,
    noticeId: ids.nextNumber(),
  }));
  return [
    createEvent(command, 'CaseDecided', { caseId, moderatorId, outcome, rule, reports, facts, note }),
    ...endEarlierRestrictions(command, state),
    ...decideConsequence(command),
    ...placeLegalHold(command, state),
  ];
};

/** @throws DomainError validation_failed when the rule, the facts or the end do not fit the outcome */
const requireConsistentDecision = ({ outcome, rule, facts, until, at }: DecideCase): void => {
  const isExplained = outcome === 'dismissed' || (rule !== null && facts !== null);
  const hasValidEnd = outcome === 'suspended' ? isValidSuspensionEnd(until, at) : until === null;
  if (!isExplained || !hasValidEnd) throw new DomainError('validation_failed');
};

const isValidSuspensionEnd = (until: Date | null, at: Date): boolean => {
  if (until === null) return false;
  const durationMs = until.getTime() - at.getTime();
  return durationMs >= limits.suspensionMinMs && durationMs <= limits.suspensionMaxMs;
};

/**
 * Ends the flag and the sanctions that the case has led to so far. (A flagged user is matched only with other flagged
 * users.) A dismissal sends one notice that they are lifted. The notice of any other decision explains their end.
 */
const endEarlierRestrictions = (command: DecideCase, state: ConductState): readonly ConductEvent[] => {
  const { ids, at, caseId, moderatorId, outcome } = command;
  const isDismissed = outcome === 'dismissed';
  const isFlagOfCase = state.standing.flag !== null && state.flagCaseId === caseId;
  const earlierSanctions = listSanctionsOfCase(state, caseId).filter(({ isLifted }) => !isLifted);
  const isRestricted = isFlagOfCase || earlierSanctions.some((sanction) => isInForce(sanction, at));
  const noticeId = isDismissed && isRestricted ? ids.nextNumber() : null;
  // A dismissal also lifts sanctions that have ended, so that they no longer count as earlier sanctions of the user.
  const mustBeLifted = (sanction: ImposedSanction): boolean => isDismissed || isInForce(sanction, at);
  const flagLifted = isFlagOfCase ? [createEvent(command, 'FlagLifted', { noticeId })] : [];
  const sanctionsLifted = earlierSanctions.filter(mustBeLifted).map(({ sanctionId }, index) => {
    // Only the first of the events has the notice.
    const isFirstEvent = !isFlagOfCase && index === 0;
    return createEvent(command, 'SanctionLifted', {
      sanctionId,
      noticeId: isFirstEvent ? noticeId : null,
      cause: isDismissed ? 'dismissed' : 'replaced',
      moderatorId,
      reason: null,
    });
  });
  return [...flagLifted, ...sanctionsLifted];
};

/** Warns or sanctions the user. `requireConsistentDecision` has ensured that only a dismissal has no rule. */
const decideConsequence = (command: DecideCase): readonly ConductEvent[] => {
  const { ids, caseId, outcome, rule, until } = command;
  if (outcome === 'dismissed' || rule === null) return [];
  if (outcome === 'warned')
    return [createEvent(command, 'PersonWarned', { noticeId: ids.nextNumber(), caseId, rule })];
  return [
    createEvent(command, 'SanctionImposed', {
      sanctionId: ids.nextNumber(),
      noticeId: ids.nextNumber(),
      kind: outcome,
      rule,
      until: until?.toISOString() ?? null,
      caseId,
      isAutomatic: false,
      inheritedFrom: null,
    }),
  ];
};

/** A legal hold prevents the erasure of data for which authorities may ask, until a moderator lifts the hold. */
const placeLegalHold = (command: DecideCase, state: ConductState): readonly ConductEvent[] => {
  const { caseId, outcome, rule } = command;
  const isSanctioned = outcome === 'suspended' || outcome === 'banned';
  const isAboutMinor = listReportsOfCase(state, caseId).some(({ category }) => category === 'minor');
  const isIllegal = outcome !== 'dismissed' && rule === 'no_illegal';
  const isHoldRequired = isIllegal || (isSanctioned && isAboutMinor);
  if (state.standing.isHeld || !isHoldRequired) return [];
  const reason = isIllegal ? 'Decided under the rule no_illegal' : 'Sanctioned after a report about a minor';
  return [createEvent(command, 'HoldPlaced', { moderatorId: null, reason })];
};
