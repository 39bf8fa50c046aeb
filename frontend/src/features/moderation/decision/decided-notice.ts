import { limits } from '@thaw/contract/limits';
import { type ModerationCase } from '@thaw/contract/moderation';
import { type Notice, type ReportCategory } from '@thaw/contract/safety';
import {
  findTimeOfIncident,
  computeSuspensionEnd,
  type CaseDraft,
} from '@/features/moderation/decision/case-draft';

// Builds previews of the notices that a decision would send. In these functions, `now` is in ms since the epoch.

const noticeKindByOutcome = { warned: 'warning', suspended: 'suspension', banned: 'ban' } as const;

const noAppeal: Notice['appeal'] = { state: 'none', until: null, outcome: null, answer: null };

const toIso = (ms: number): string => new Date(ms).toISOString();

/** The fields of a notice before it says anything. The server will assign another id and creation time. */
const createBlankFields = (now: number): Omit<Notice, 'kind'> => ({
  id: 1,
  createdAt: toIso(now),
  seenAt: null,
  rule: null,
  facts: null,
  about: null,
  decidedBy: 'moderator',
  from: null,
  until: null,
  appeal: noAppeal,
  report: null,
});

/**
 * Whether a dismissal would lift a restriction of the case's user. The server lifts those that the case has led to.
 * The page does not know them, so it guesses: care (being matched only with others in care), or a suspension if the
 * case has an automatic finding or sanction.
 */
const wouldLiftRestriction = ({ standing, isAutomatic }: ModerationCase): boolean =>
  standing === 'care' || (standing === 'suspended' && isAutomatic);

/** Builds the notice that a decision would send to the case's user; null if it would send none. */
export const buildDecisionNotice = (
  moderationCase: ModerationCase,
  draft: CaseDraft,
  now: number,
): Notice | null => {
  const { outcome, rule, facts } = draft;
  if (outcome === null) return null;
  if (outcome === 'dismissed') {
    return wouldLiftRestriction(moderationCase) ? { ...createBlankFields(now), kind: 'lifted' } : null;
  }
  const suspensionEnd = outcome === 'suspended' ? computeSuspensionEnd(draft, now) : null;
  const [firstEvidence] = moderationCase.evidence;
  return {
    ...createBlankFields(now),
    kind: noticeKindByOutcome[outcome],
    rule,
    facts: facts.trim(),
    about: firstEvidence ? { where: firstEvidence.source, at: findTimeOfIncident(moderationCase) } : null,
    from: toIso(now),
    until: suspensionEnd === null ? null : toIso(suspensionEnd),
    appeal: { ...noAppeal, state: 'possible', until: toIso(now + limits.appealWithinMs) },
  };
};

/** Builds the notice that a decision would send to a reporter whose report has this category. */
export const buildReportNotice = (
  category: ReportCategory,
  outcome: NonNullable<CaseDraft['outcome']>,
  now: number,
): Notice => ({
  ...createBlankFields(now),
  kind: 'report_decided',
  report: { id: 1, category, outcome: outcome === 'dismissed' ? 'no_violation' : 'action_taken' },
});

/** Builds the notice that the decision of an appeal would send; null while no outcome is chosen. */
export const buildAppealNotice = (draft: CaseDraft, now: number): Notice | null => {
  const { appealOutcome, answer } = draft;
  if (appealOutcome === null) return null;
  // A reduced suspension gets a new end: a custom date, or a number of days after the decision of the appeal.
  const suspensionEnd = appealOutcome === 'reduced' ? computeSuspensionEnd(draft, now) : null;
  return {
    ...createBlankFields(now),
    kind: 'appeal_decided',
    until: suspensionEnd === null ? null : toIso(suspensionEnd),
    appeal: { state: 'decided', until: null, outcome: appealOutcome, answer: answer.trim() },
  };
};
