import { createAutomaticSuspension, createUserFlagged, isFlagged } from './automatic-restriction.rules';
import { createEvent } from './conduct-event.factory';
import type { RaiseFinding } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import { type ConductState, findUndecidedCase } from './conduct-state.types';

/** A user who states an age under 18 again within this time is suspended. */
const REPEATED_AGE_STATEMENT_MS = 30 * 24 * 60 * 60_000;

/**
 * An automatic finding about the user opens a case or joins the undecided one, and may restrict the user. Repeating a
 * finding of the same source results in no event.
 */
export const decideFinding = (command: RaiseFinding, state: ConductState): readonly ConductEvent[] => {
  const { ids, finding, sourceEventId, evidence, evidenceHash } = command;
  if (state.sourceEventIds.has(sourceEventId)) return [];
  const undecided = findUndecidedCase(state);
  const caseId = undecided?.caseId ?? ids.nextNumber();
  return [
    ...(undecided ? [] : [createEvent(command, 'CaseOpened', { caseId, kind: 'finding' })]),
    createEvent(command, 'FindingRaised', { caseId, finding, sourceEventId, evidenceHash, evidence }),
    ...decideRestrictions(command, state, caseId),
  ];
};

const decideRestrictions = (
  command: RaiseFinding,
  state: ConductState,
  caseId: number,
): readonly ConductEvent[] => {
  const { at, finding, rule } = command;
  const events: ConductEvent[] = [];
  if (finding === 'many_accounts' && !isFlagged(state, at))
    events.push(createUserFlagged(command, caseId, finding));
  if (finding === 'stated_age') events.push(...decideStatedAge(command, state, caseId));
  // Findings of the kind `image_match` have a rule: that of the image on the block-list.
  if (rule && !hasSanctionWithoutEnd(state))
    events.push(createAutomaticSuspension(command, { caseId, rule, until: null }));
  return events;
};

/** Asks the user for their age, or suspends them if they were asked recently. */
const decideStatedAge = (
  command: RaiseFinding,
  state: ConductState,
  caseId: number,
): readonly ConductEvent[] => {
  const { ids, at } = command;
  const wasAskedRecently = state.ageQuestionTimes.some(
    (askedAt) => at.getTime() - askedAt.getTime() < REPEATED_AGE_STATEMENT_MS,
  );
  if (!wasAskedRecently) return [createEvent(command, 'AgeAsked', { noticeId: ids.nextNumber(), caseId })];
  if (hasSanctionWithoutEnd(state)) return [];
  return [createAutomaticSuspension(command, { caseId, rule: 'adults_only', until: null })];
};

const hasSanctionWithoutEnd = ({ sanctions }: ConductState): boolean =>
  [...sanctions.values()].some(({ isLifted, until }) => !isLifted && until === null);
