import { limits } from '@thaw/contract/limits';
import { type ModerationCase } from '@thaw/contract/moderation';
import { type Notice, type ReportCategory } from '@thaw/contract/safety';
import {
  findTimeOfIncident,
  computeSuspensionEnd,
  type CaseDraft,
} from '@/features/moderation/decision/case-draft';

const noticeKindByOutcome = { warned: 'warning', suspended: 'suspension', banned: 'ban' } as const;

const noAppeal: Notice['appeal'] = { state: 'none', until: null, outcome: null, answer: null };

/** A notice without texts. Only previews are built from it, so the id and the creation time are placeholders. */
const createBlankNotice = (now: number): Notice => ({
  id: 1,
  kind: 'warning',
  createdAt: new Date(now).toISOString(),
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
 * Builds the notice that a decision would send to the person; null if it would send none.
 * @param now in ms since the epoch
 */
export const buildDecisionNotice = (
  moderationCase: ModerationCase,
  draft: CaseDraft,
  now: number,
): Notice | null => {
  const { outcome, rule, facts } = draft;
  if (outcome === null) return null;
  if (outcome === 'dismissed') {
    const { standing } = moderationCase;
    // A dismissal ends care (being matched only with others in care) or an automatic suspension, and the person is
    // notified of the end. `isAutomatic` means that the case has an automatic finding or an automatic sanction; this
    // need not be the suspension in force.
    const wasLimited = standing === 'care' || (standing === 'suspended' && moderationCase.isAutomatic);
    return wasLimited ? { ...createBlankNotice(now), kind: 'lifted' } : null;
  }
  const until = outcome === 'suspended' ? computeSuspensionEnd(draft, now) : null;
  const source = moderationCase.evidence[0]?.source;
  return {
    ...createBlankNotice(now),
    kind: noticeKindByOutcome[outcome],
    rule,
    facts: facts.trim(),
    about: source ? { where: source, at: findTimeOfIncident(moderationCase) } : null,
    from: new Date(now).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
    appeal: { ...noAppeal, state: 'possible', until: new Date(now + limits.appealWithinMs).toISOString() },
  };
};

/** Builds the notice that a decision would send to a reporter whose report has this category. */
export const buildReportNotice = (
  category: ReportCategory,
  outcome: NonNullable<CaseDraft['outcome']>,
  now: number,
): Notice => ({
  ...createBlankNotice(now),
  kind: 'report_decided',
  report: { id: 1, category, outcome: outcome === 'dismissed' ? 'no_violation' : 'action_taken' },
});

/** Builds the notice that the decision of an appeal would send; null while no outcome is chosen. */
export const buildAppealNotice = (draft: CaseDraft, now: number): Notice | null => {
  const { appealOutcome, answer } = draft;
  if (appealOutcome === null) return null;
  // A reduced suspension gets a new end: a custom date, or a number of days after the decision of the appeal.
  const until = appealOutcome === 'reduced' ? computeSuspensionEnd(draft, now) : null;
  return {
    ...createBlankNotice(now),
    kind: 'appeal_decided',
    until: until === null ? null : new Date(until).toISOString(),
    appeal: { state: 'decided', until: null, outcome: appealOutcome, answer: answer.trim() },
  };
};
