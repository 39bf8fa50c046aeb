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
  if (notice?.recipientId !== appellantId) throw new DomainError('not_found');
  const { caseId, isAppealable, createdAt } = notice;
  if (!isAppealable || caseId === null) throw new DomainError('not_found');
  const earlierAppeal = state.appeals.get(noticeId);
  if (earlierAppeal?.outcome === null) return [];
  if (earlierAppeal) throw new DomainError('already_answered');
  if (at.getTime() - createdAt.getTime() > appealWithinMs) throw new DomainError('too_late');
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
  // Another moderator must review the decision. The only moderator may do so after a wait that begins with the appeal.
  const appealedDecision = { moderatorId: notice.decidedBy, at: appeal.filedAt };
  const isSolo = requireSecondModerator(appealedDecision, command, policy.soloReviewAfterMs);
  requireNoOtherClaim(appealedCase, command);
  requireVersion(state, version);
  if (appeal.outcome !== null) throw new DomainError('already_answered');
  const sanction = findAppealedSanction(state, notice, at);
  const hasValidEnd = outcome === 'reduced' ? isEarlierEnd(until, sanction, at) : until === null;
  if (!hasValidEnd) throw new DomainError('validation_failed');
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
    ...(outcome === 'upheld' && sanction ? confirmUpheldBan(command, state, sanction, isSolo) : []),
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
  const [replacement = null] = inForce;
  return inForce.find((sanction) => sanction.sanctionId === sanctionId) ?? replacement;
};

/** Whether `until` is in the future, and earlier than the end of the sanction. */
const isEarlierEnd = (until: Date | null, sanction: ImposedSanction | null, at: Date): boolean => {
  if (until === null || sanction === null) return false;
  const isEarlier = sanction.until === null || until < sanction.until;
  return until > at && isEarlier;
};

/** A ban has to be confirmed by a second moderator. The one who upholds it has reviewed it, and so confirms it. */
const confirmUpheldBan = (
  command: DecideAppeal,
  state: ConductState,
  sanction: ImposedSanction,
  isSolo: boolean,
): readonly ConductEvent[] => {
  if (!awaitsConfirmation(sanction)) return [];
  const { moderatorId } = command;
  const { sanctionId, caseId, noticeId } = sanction;
  // Moderators may decide an appeal against a sanction that their own ban has replaced.
  const isOwnBan = state.notices.get(noticeId)?.decidedBy === moderatorId;
  if (isOwnBan && !isSolo) return [];
  return [createEvent(command, 'SanctionConfirmed', { sanctionId, caseId, moderatorId, isSolo })];
};

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
  // A flag is automatic. It ends if the appeal is against the flag itself, or against an automatic sanction.
  const isAgainstFlag = kind === 'care';
  const isAgainstAutomaticSanction = sanction?.isAutomatic ?? false;
  const isFlagOfCase = state.standing.flag !== null && state.flagCaseId === caseId;
  const endsFlag = isFlagOfCase && (isAgainstFlag || isAgainstAutomaticSanction);
  return [
    ...(endsFlag ? [createEvent(command, 'FlagLifted', { noticeId: null })] : []),
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
 * Opens a dismissed case again, unless another case of the user is undecided: a user has at most one undecided case. A
 * case whose dismissal has been replaced by a later decision stays closed.
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
