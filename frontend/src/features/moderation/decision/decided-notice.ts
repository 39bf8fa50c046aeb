import { limits } from '@thaw/contract/limits';
import { type ModerationCase } from '@thaw/contract/moderation';
import { type Notice, type ReportCategory } from '@thaw/contract/safety';
import {
  findTimeOfIncident,
  computeSuspensionEnd,
  type CaseDraft,
} from '@/features/moderation/decision/case-draft';

const noAppeal: Notice['appeal'] = { state: 'none', until: null, outcome: null, answer: null };

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

/** The notice that a decision would send to the person; null if it sends none. */
export const buildDecisionNotice = (shown: ModerationCase, draft: CaseDraft, now: number): Notice | null => {
  const { outcome, rule, facts } = draft;
  if (outcome === null) return null;
  if (outcome === 'dismissed') {
    const wasLimited = shown.standing === 'care' || (shown.standing === 'suspended' && shown.isAutomatic);
    return wasLimited ? { ...createBlankNotice(now), kind: 'lifted' } : null;
  }
  const until = outcome === 'suspended' ? computeSuspensionEnd(draft, now) : null;
  const source = shown.evidence[0]?.source;
  return {
    ...createBlankNotice(now),
    kind: outcome === 'warned' ? 'warning' : outcome === 'suspended' ? 'suspension' : 'ban',
    rule,
    facts: facts.trim(),
    about: source ? { where: source, at: findTimeOfIncident(shown) } : null,
    from: new Date(now).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
    appeal: { ...noAppeal, state: 'possible', until: new Date(now + limits.appealWithinMs).toISOString() },
  };
};

/** The notice that a decision would send to the reporters. */
export const reportNotice = (
  category: ReportCategory,
  outcome: NonNullable<CaseDraft['outcome']>,
  now: number,
): Notice => ({
  ...createBlankNotice(now),
  kind: 'report_decided',
  report: { id: 1, category, outcome: outcome === 'dismissed' ? 'no_violation' : 'action_taken' },
});

/** The notice that the decision of an appeal would send. */
export const appealNotice = (draft: CaseDraft, now: number): Notice | null => {
  const { appealOutcome, answer } = draft;
  if (appealOutcome === null) return null;
  const until = appealOutcome === 'reduced' ? computeSuspensionEnd(draft, now) : null;
  return {
    ...createBlankNotice(now),
    kind: 'appeal_decided',
    until: until === null ? null : new Date(until).toISOString(),
    appeal: { state: 'decided', until: null, outcome: appealOutcome, answer: answer.trim() },
  };
};
