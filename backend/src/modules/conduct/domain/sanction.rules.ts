import { DomainError } from '../../../platform/errors/domain.errors';
import { createEvent } from './conduct-event.factory';
import type { ConductPolicy } from './conduct-policy.types';
import type {
  AnswerAgeQuestion,
  ApplyTimeLimits,
  ConfirmBan,
  AlignInheritedSanction,
  InheritSanction,
  LiftSanction,
  SetLegalHold,
} from './conduct.commands';
import type { LiftCause } from '../../standings/domain/standing.events';
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
import { createSuspensionUntilDecided, createUserFlagged, isFlagged } from './report.rules';

/** A ban that no second moderator confirms in time becomes a suspension of this duration, from the start of the ban. */
export const UNCONFIRMED_SUSPENSION_MS = 30 * 24 * 60 * 60_000;

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
  const { ids, caseId, moderatorId, version, isConfirmed, facts: reason } = command;
  const bannedCase = requireCase(state, caseId);
  requireUninvolved(state, caseId, command);
  const ban = listSanctionsOfCase(state, caseId).find(awaitsConfirmation);
  // The moderator who imposed a ban may review it only if there is no other one. Then `isSolo` is true.
  const isSolo = ban
    ? requireSecondModerator(
        // The decision that imposed the ban, from its notice: after an appeal, the case may have a later decision.
        { moderatorId: state.notices.get(ban.noticeId)?.decidedBy ?? null, at: ban.imposedAt },
        command,
        policy.soloReviewAfterMs,
      )
    : false;
  requireNoOtherClaim(bannedCase, command);
  requireVersion(state, version);
  // Checked last: a moderator with an older version of the case is refused with case_changed instead.
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
      reason,
    }),
  ];
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

/**
 * A new account inherits the sanction of another account of the same user. The inherited sanction has a case of its
 * own, which is decided automatically. An appeal puts this case into the moderators' queue.
 */
export const decideInheritedSanction = (
  command: InheritSanction,
  state: ConductState,
): readonly ConductEvent[] => {
  const { ids, sanctionId: inheritedFrom, kind, rule, until } = command;
  if ([...state.sanctions.values()].some((sanction) => sanction.inheritedFrom === inheritedFrom)) return [];
  const caseId = ids.nextNumber();
  return [
    // Kind 'finding': the service itself has opened the case, without a report.
    createEvent(command, 'CaseOpened', { caseId, kind: 'finding' }),
    createEvent(command, 'CaseDecided', {
      caseId,
      moderatorId: null,
      outcome: kind,
      rule,
      reports: [],
      facts: null,
      note: null,
    }),
    createEvent(command, 'SanctionImposed', {
      sanctionId: ids.nextNumber(),
      noticeId: ids.nextNumber(),
      kind,
      rule,
      until: until?.toISOString() ?? null,
      caseId,
      isAutomatic: true,
      inheritedFrom,
    }),
  ];
};

/**
 * Lifts or shortens the sanction that was inherited from `sanctionId`, its source, so that it ends no later than the
 * source. `until` of the command is the new end of the source, or null if the source was lifted. For a sanction, an
 * `until` of null means that it has no end.
 */
export const decideAlignment = (
  command: AlignInheritedSanction,
  state: ConductState,
): readonly ConductEvent[] => {
  const { ids, at, sanctionId: sourceId, until: sourceEnd } = command;
  const hasSourceEnded = sourceEnd === null || sourceEnd <= at;
  const outlivesSource = ({ until }: ImposedSanction): boolean =>
    hasSourceEnded || until === null || until > sourceEnd;
  return [...state.sanctions.values()]
    .filter(({ inheritedFrom }) => inheritedFrom === sourceId)
    .filter((sanction) => isInForce(sanction, at) && outlivesSource(sanction))
    .flatMap((sanction) =>
      hasSourceEnded
        ? [
            createEvent(command, 'SanctionLifted', {
              sanctionId: sanction.sanctionId,
              noticeId: ids.nextNumber(),
              cause: 'source_ended',
              moderatorId: null,
              reason: null,
            }),
          ]
        : replaceBySuspension(command, sanction, 'source_ended', sourceEnd),
    );
};

/** @throws DomainError not_found, already_answered */
export const decideAgeAnswer = (command: AnswerAgeQuestion, state: ConductState): readonly ConductEvent[] => {
  const { noticeId, answer } = command;
  if (state.notices.get(noticeId)?.kind !== 'age_question') throw new DomainError('not_found');
  if (state.standing.ageQuestion?.noticeId !== noticeId) throw new DomainError('already_answered');
  return [
    createEvent(command, 'AgeAnswered', { noticeId, answer }),
    ...(answer === 'minor' ? [createSuspensionUntilDecided(command, state.ageCaseId)] : []),
  ];
};

/**
 * Replaces a ban that was not confirmed in time, flags the user after a lapsed sanction (an automatic suspension that
 * ended before a moderator decided its case), and ends a flag whose time is over.
 */
export const decideTimeLimits = (
  command: ApplyTimeLimits,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => {
  const { at } = command;
  const { flag: currentFlag } = state.standing;
  const sanctions = [...state.sanctions.values()];
  const lapsedSanction = sanctions.find((sanction) => mustLeadToFlag(sanction, state, at));
  return [
    ...sanctions
      .filter((sanction) => isConfirmationOverdue(sanction, at, policy))
      .flatMap((ban) => replaceBySuspension(command, ban, 'not_confirmed', computeUnconfirmedEnd(ban))),
    // If a sanction has lapsed, its flag replaces a flag whose time is over, so that `FlagLifted` is not needed.
    ...(currentFlag && currentFlag.until <= at && !lapsedSanction
      ? [createEvent(command, 'FlagLifted', { noticeId: null })]
      : []),
    ...(lapsedSanction
      ? [createUserFlagged(command, lapsedSanction.caseId, 'sanction_lapsed', findCurrentFlagEnd(state, at))]
      : []),
  ];
};

const isConfirmationOverdue = (sanction: ImposedSanction, at: Date, { reviewMs }: ConductPolicy): boolean =>
  awaitsConfirmation(sanction) && at.getTime() - sanction.imposedAt.getTime() >= reviewMs;

/** Whether an automatic suspension has ended before a moderator decided its case, and has not led to a flag yet. */
const mustLeadToFlag = (sanction: ImposedSanction, { cases }: ConductState, at: Date): boolean => {
  const { caseId, isAutomatic, isLifted, hasLedToFlag, until } = sanction;
  const isOver = until !== null && until <= at;
  const isUndecided = caseId !== null && cases.get(caseId)?.state !== 'decided';
  return isAutomatic && isOver && !isLifted && !hasLedToFlag && isUndecided;
};

/**
 * The end of the flag in force; a new flag keeps this end. Undefined if no flag is in force: the new one then ends
 * after `FLAG_MAX_MS`.
 */
const findCurrentFlagEnd = (state: ConductState, at: Date): Date | undefined =>
  isFlagged(state, at) ? state.standing.flag?.until : undefined;

const computeUnconfirmedEnd = ({ imposedAt }: ImposedSanction): Date =>
  new Date(imposedAt.getTime() + UNCONFIRMED_SUSPENSION_MS);

/** Lifts the sanction without a notice, because the notice of the new suspension explains both. */
const replaceBySuspension = (
  command: ApplyTimeLimits | AlignInheritedSanction,
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
