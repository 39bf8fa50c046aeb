import { DomainError } from '../../../platform/errors/domain.errors';
import type { LiftCause } from '../../standings/domain/standing.events';
import { createAutomaticSuspension } from './automatic-restriction.rules';
import { createEvent } from './conduct-event.factory';
import type { ConductPolicy } from './conduct-policy.types';
import type {
  AnswerAgeQuestion,
  ConductCommand,
  ConfirmBan,
  LiftSanction,
  SetLegalHold,
} from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import {
  awaitsConfirmation,
  type ConductState,
  type ImposedSanction,
  isInForce,
  listSanctionsOfCase,
} from './conduct-state.types';
import {
  requireCase,
  requireSecondModerator,
  requireNoOtherClaim,
  requireUninvolved,
  requireVersion,
} from './moderator.rules';

// The acts of moderators on sanctions, and the answer to an age question, which may suspend the user.
//
// Codes of refusals:
// - `own_decision`: the moderator is involved in the case, or would review their own decision.
// - `claimed`: another moderator has reserved the case.
// - `case_changed`: events were recorded since the version that the moderator has seen.
// - `already_answered`: the sanction is no longer in force, the ban was reviewed, or the question was answered.

/**
 * A second moderator confirms or lifts a ban.
 * @throws DomainError not_found, own_decision, claimed, case_changed, already_answered
 */
export const decideConfirmation = (
  command: ConfirmBan,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => {
  const { ids, caseId, moderatorId, version, isConfirmed, facts } = command;
  const bannedCase = requireCase(state, caseId);
  requireUninvolved(state, caseId, command);
  // Undefined if the ban was reviewed or lifted. A moderator who does not know of that has seen an older version of the
  // case, and is refused with `case_changed`. The missing ban itself is therefore refused last.
  const ban = listSanctionsOfCase(state, caseId).find(awaitsConfirmation);
  const isSolo = ban !== undefined && requireReviewerOfBan(ban, state, command, policy);
  requireNoOtherClaim(bannedCase, command);
  requireVersion(state, version);
  if (!ban) throw new DomainError('already_answered');
  const { sanctionId } = ban;
  if (isConfirmed)
    return [createEvent(command, 'SanctionConfirmed', { sanctionId, caseId, moderatorId, isSolo })];
  return [
    createEvent(command, 'SanctionLifted', {
      sanctionId,
      noticeId: ids.nextNumber(),
      cause: 'not_confirmed',
      moderatorId,
      // The facts that the moderator states are the reason that the user reads.
      reason: facts,
    }),
  ];
};

/**
 * Refuses the moderator who imposed the ban, unless there is no other moderator and the waiting time is over.
 * @returns whether the reviewer is the moderator who imposed the ban
 * @throws DomainError own_decision
 */
const requireReviewerOfBan = (
  { noticeId, imposedAt }: ImposedSanction,
  { notices }: ConductState,
  command: ConfirmBan,
  { soloReviewAfterMs }: ConductPolicy,
): boolean => {
  // Taken from the notice of the ban. The case may have a later decision, after an appeal.
  const imposedBy = notices.get(noticeId)?.decidedBy ?? null;
  return requireSecondModerator({ moderatorId: imposedBy, at: imposedAt }, command, soloReviewAfterMs);
};

/** @throws DomainError not_found, own_decision, already_answered */
export const decideLift = (command: LiftSanction, state: ConductState): readonly ConductEvent[] => {
  const { ids, at, sanctionId, moderatorId, userId, reason } = command;
  const sanction = state.sanctions.get(sanctionId);
  if (!sanction) throw new DomainError('not_found');
  if (moderatorId === userId) throw new DomainError('own_decision');
  if (!isInForce(sanction, at)) throw new DomainError('already_answered');
  return [
    createEvent(command, 'SanctionLifted', {
      sanctionId,
      noticeId: ids.nextNumber(),
      cause: 'moderator',
      moderatorId,
      reason,
    }),
  ];
};

/** @throws DomainError own_decision */
export const decideLegalHold = (command: SetLegalHold, state: ConductState): readonly ConductEvent[] => {
  const { userId, moderatorId, isHeld, reason } = command;
  if (moderatorId === userId) throw new DomainError('own_decision');
  if (state.standing.isHeld === isHeld) return [];
  return [createEvent(command, isHeld ? 'HoldPlaced' : 'HoldLifted', { moderatorId, reason })];
};

/** @throws DomainError not_found, already_answered */
export const decideAgeAnswer = (command: AnswerAgeQuestion, state: ConductState): readonly ConductEvent[] => {
  const { noticeId, answer } = command;
  if (state.notices.get(noticeId)?.kind !== 'age_question') throw new DomainError('not_found');
  if (state.standing.ageQuestion?.noticeId !== noticeId) throw new DomainError('already_answered');
  const answered = createEvent(command, 'AgeAnswered', { noticeId, answer });
  if (answer !== 'minor') return [answered];
  return [
    answered,
    createAutomaticSuspension(command, { caseId: state.ageCaseId, rule: 'adults_only', until: null }),
  ];
};

/**
 * Lifts a sanction and imposes a suspension until `until` in its place. The lifting has no notice, because the notice
 * of the suspension explains both.
 */
export const replaceBySuspension = (
  command: Pick<ConductCommand, 'ids' | 'at' | 'userId'>,
  { sanctionId, rule, caseId, isAutomatic, inheritedFrom }: ImposedSanction,
  cause: LiftCause,
  until: Date,
): readonly ConductEvent[] => {
  const { ids } = command;
  return [
    createEvent(command, 'SanctionLifted', {
      sanctionId,
      noticeId: null,
      cause,
      moderatorId: null,
      reason: null,
    }),
    createEvent(command, 'SanctionImposed', {
      sanctionId: ids.nextNumber(),
      noticeId: ids.nextNumber(),
      kind: 'suspended',
      rule,
      until: until.toISOString(),
      caseId,
      isAutomatic,
      inheritedFrom,
    }),
  ];
};
