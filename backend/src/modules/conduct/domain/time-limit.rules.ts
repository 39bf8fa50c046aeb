import { createUserFlagged, isFlagged } from './automatic-restriction.rules';
import { createEvent } from './conduct-event.factory';
import type { ConductPolicy } from './conduct-policy.types';
import type { ApplyTimeLimits } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import { awaitsConfirmation, type ConductState, type ImposedSanction } from './conduct-state.types';
import { replaceBySuspension } from './sanction.rules';

/** A ban that no second moderator confirms in time becomes a suspension of this duration, from the start of the ban. */
const UNCONFIRMED_SUSPENSION_MS = 30 * 24 * 60 * 60_000;

/** Applies the time limits of bans that were not confirmed, of automatic suspensions, and of the user's flag. */
export const decideTimeLimits = (
  command: ApplyTimeLimits,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => [
  ...replaceUnconfirmedBans(command, state, policy),
  ...replaceOrLiftFlag(command, state),
];

const replaceUnconfirmedBans = (
  command: ApplyTimeLimits,
  { sanctions }: ConductState,
  { reviewMs }: ConductPolicy,
): readonly ConductEvent[] =>
  [...sanctions.values()]
    .filter(awaitsConfirmation)
    .filter(({ imposedAt }) => command.at.getTime() - imposedAt.getTime() >= reviewMs)
    .flatMap((ban) => {
      const suspendedUntil = new Date(ban.imposedAt.getTime() + UNCONFIRMED_SUSPENSION_MS);
      return replaceBySuspension(command, ban, 'not_confirmed', suspendedUntil);
    });

/**
 * Flags the user after a lapsed suspension. Otherwise ends a flag whose time is over. A new flag replaces the present
 * one, which therefore needs no `FlagLifted`, even if its time is over.
 */
const replaceOrLiftFlag = (command: ApplyTimeLimits, state: ConductState): readonly ConductEvent[] => {
  const { at } = command;
  const { flag } = state.standing;
  const lapsed = [...state.sanctions.values()].find((sanction) => isLapsedWithoutFlag(sanction, state, at));
  if (lapsed) {
    // A flag in force keeps its end. Without one, the new flag ends after `FLAG_MAX_MS`.
    const flaggedUntil = isFlagged(state, at) ? flag?.until : undefined;
    return [createUserFlagged(command, lapsed.caseId, 'sanction_lapsed', flaggedUntil)];
  }
  return flag && flag.until <= at ? [createEvent(command, 'FlagLifted', { noticeId: null })] : [];
};

/**
 * Whether the sanction is a lapsed suspension (an automatic one that ended before a moderator decided its case) that
 * has not led to a flag yet.
 */
const isLapsedWithoutFlag = (sanction: ImposedSanction, { cases }: ConductState, at: Date): boolean => {
  const { caseId, isAutomatic, isLifted, hasLedToFlag, until } = sanction;
  const isOver = until !== null && until <= at;
  const isUndecided = caseId !== null && cases.get(caseId)?.state !== 'decided';
  return isAutomatic && isOver && !isLifted && isUndecided && !hasLedToFlag;
};
