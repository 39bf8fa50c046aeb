import type { HouseRule } from '@thaw/contract/safety';
import type { FlagCause } from '../../standings/domain/standing.events';
import { createEvent } from './conduct-event.factory';
import type { ConductCommand } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import type { ConductState } from './conduct-state.types';

// Restrictions without a decision of a moderator: a flag, and an automatic suspension. A flagged user is matched only
// with other flagged users.

/** A flag ends after this time, even if its case is undecided. */
const FLAG_MAX_MS = 30 * 24 * 60 * 60_000;

type CommandFields = Pick<ConductCommand, 'ids' | 'at' | 'userId'>;

export const isFlagged = ({ standing: { flag } }: ConductState, at: Date): boolean =>
  flag !== null && flag.until > at;

/** An event that flags the user until `until`. Its stored type is `PersonFlagged`. */
export const createUserFlagged = (
  command: CommandFields,
  caseId: number | null,
  cause: FlagCause,
  until = new Date(command.at.getTime() + FLAG_MAX_MS),
): ConductEvent =>
  createEvent(command, 'PersonFlagged', {
    caseId,
    until: until.toISOString(),
    cause,
    noticeId: command.ids.nextNumber(),
  });

/** An event that suspends the user. `until`: null for a suspension that only the decision of a moderator ends. */
export const createAutomaticSuspension = (
  command: CommandFields,
  { caseId, rule, until }: { caseId: number | null; rule: HouseRule; until: Date | null },
): ConductEvent =>
  createEvent(command, 'SanctionImposed', {
    sanctionId: command.ids.nextNumber(),
    noticeId: command.ids.nextNumber(),
    kind: 'suspended',
    rule,
    until: until === null ? null : until.toISOString(),
    caseId,
    isAutomatic: true,
    inheritedFrom: null,
  });
