import { DomainError } from '../../../platform/errors/domain.errors';
import { createEvent } from './conduct-event.factory';
import type { ConductPolicy } from './conduct-policy.types';
import type { DecideAppeal, FileAppeal } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import {
  awaitsConfirmation,
  type ConductState,
  findUndecidedCase,
  type ImposedSanction,
  isInForce,
  listSanctionsOfCase,
  type SentNotice,
} from './conduct-state.types';
import {
  requireCase,
  requireSecondModerator,
  requireNoOtherClaim,
  requireUninvolved,
  requireVersion,
} from './moderator.rules';

/**
 * Handles the command `FileAppeal`. Repeating an appeal that is still open results in no event.
 * @throws DomainError not_found, already_answered, too_late
 */
export const decideAppealFiling = (
  command: FileAppeal,
  state: ConductState,
  { appealWithinMs }: ConductPolicy,
): readonly ConductEvent[] => {
  const { ids, at, appellantId, noticeId, words } = command;
  const notice = state.notices.get(noticeId);
  if (notice?.recipientId !== appellantId || !notice.isAppealable || notice.caseId === null)
    throw new DomainError('not_found');
  const earlierAppeal = state.appeals.get(noticeId);
  if (earlierAppeal && earlierAppeal.outcome !== null) throw new DomainError('already_answered');
  if (earlierAppeal) return [];
  if (at.getTime() - notice.createdAt.getTime() > appealWithinMs) throw new DomainError('too_late');
  const { caseId } = notice;
  return [
    createEvent(command, 'AppealFiled', { appealId: ids.nextNumber(), noticeId, caseId, appellantId, words }),
  ];
};

/**
 * Handles the command `DecideAppeal`: a moderator has decided the appeal.
 * @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed
 */
export const decideAppeal = (
  command: DecideAppeal,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => {
  const { ids, at, appealId, moderatorId, outcome, until, answer, version } = command;
  const appeal = [...state.appeals.values()].find((filed) => filed.appealId === appealId);
  const notice = appeal && state.notices.get(appeal.noticeId);
  if (!appeal || !notice) throw new DomainError('not_found');
  const { noticeId, caseId } = appeal;
  const appealedCase = requireCase(state, caseId);
  requireUninvolved(state, caseId, command);
  // Moderators cannot decide their own appeals. There is no separate error code for it.
  if (moderatorId === appeal.appellantId) throw new DomainError('own_decision');
  // The only moderator may review their own decision when `soloReviewAfterMs` has passed since the appeal was filed.
  const appealedDecision = { moderatorId: notice.decidedBy, at: appeal.filedAt };
  const isSolo = requireSecondModerator(appealedDecision, command, policy.soloReviewAfterMs);
  requireNoOtherClaim(appealedCase, command);
  requireVersion(state, version);
  if (appeal.outcome !== null) throw new DomainError('already_answered');
  const sanction = findAppealedSanction(state, notice, at);
  const isEndValid = outcome === 'reduced' ? isShorter(sanction, until, at) : until === null;
  if (!isEndValid) throw new DomainError('validation_failed');
  const hasImposed = (imposed: ImposedSanction): boolean =>
    state.notices.get(imposed.noticeId)?.decidedBy === moderatorId;
  return [
    createEvent(command, 'AppealDecided', {
      appealId,
      noticeId,
      answerNoticeId: ids.nextNumber(),
      caseId,
      moderatorId,
      outcome,
      sanctionId: sanction?.sanctionId ?? null,
      until: until?.toISOString() ?? null,
      isSolo,
      answer,
    }),
    ...(outcome === 'reversed' ? reverseDecision(command, state, notice, sanction) : []),
    // A moderator who upholds a ban has reviewed it, which confirms the ban. If a ban has replaced the appealed
    // sanction, the moderator who imposed the ban may decide the appeal, but confirms the ban only if `isSolo`.
    ...(outcome === 'upheld' && sanction && awaitsConfirmation(sanction) && (isSolo || !hasImposed(sanction))
      ? [
          createEvent(command, 'SanctionConfirmed', {
            sanctionId: sanction.sanctionId,
            caseId: sanction.caseId,
            moderatorId,
            isSolo,
          }),
        ]
      : []),
  ];
};

/** The sanction of the notice, or the one of the same case that has replaced it; null when neither is in force. */
const findAppealedSanction = (
  state: ConductState,
  { kind, caseId, sanctionId }: SentNotice,
  at: Date,
): ImposedSanction | null => {
  if ((kind !== 'suspension' && kind !== 'ban') || caseId === null) return null;
  const inForce = listSanctionsOfCase(state, caseId).filter((sanction) => isInForce(sanction, at));
  return inForce.find((sanction) => sanction.sanctionId === sanctionId) ?? inForce[0] ?? null;
};

/** Whether `until` is a future time at which the sanction would end earlier than it does. */
const isShorter = (sanction: ImposedSanction | null, until: Date | null, at: Date): boolean =>
  sanction !== null && until !== null && until > at && (sanction.until === null || until < sanction.until);

/**
 * Ends what the reversed decision imposed. After a reporter's appeal against a dismissal, opens the case again instead.
 * The events have no notices, because the answer to the appeal explains the change.
 */
const reverseDecision = (
  command: DecideAppeal,
  state: ConductState,
  { kind, caseId }: SentNotice,
  sanction: ImposedSanction | null,
): readonly ConductEvent[] => {
  if (kind === 'report_decided') return reopenCase(command, state, caseId);
  // The flag of this case, which is automatic, ends if its own notice (`care`) was appealed, or if the sanction that
  // ends is automatic, too.
  const endsFlag = kind === 'care' || (sanction?.isAutomatic ?? false);
  const isFlagOfCase = state.standing.flag !== null && state.flagCaseId === caseId;
  return [
    ...(endsFlag && isFlagOfCase ? [createEvent(command, 'FlagLifted', { noticeId: null })] : []),
    ...(sanction
      ? [
          createEvent(command, 'SanctionLifted', {
            sanctionId: sanction.sanctionId,
            noticeId: null,
            cause: 'appeal',
            moderatorId: command.moderatorId,
            reason: null,
          }),
        ]
      : []),
  ];
};

/**
 * Opens a dismissed case again, unless another case of the user is undecided: there is at most one. A case whose
 * dismissal has been replaced by a later decision stays closed.
 */
const reopenCase = (
  command: DecideAppeal,
  state: ConductState,
  caseId: number | null,
): readonly ConductEvent[] => {
  if (caseId === null || findUndecidedCase(state)) return [];
  const isDismissed = requireCase(state, caseId).decision?.outcome === 'dismissed';
  return isDismissed ? [createEvent(command, 'CaseOpened', { caseId, kind: 'appeal' })] : [];
};
