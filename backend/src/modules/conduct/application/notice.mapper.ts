import type { Notice } from '@thaw/contract/safety';
import type { NoticeRow } from '../infrastructure/notice.repository';
import type { AutomaticCause } from '../projections/notice-rows.projection';

/**
 * The facts of notices that an automatic rule sent, by cause. Suspensions for the missing causes, `reports` and `age`,
 * have the facts `PAUSED_…` below. The frontend has a fixed text for other notices with these causes.
 */
const automaticFacts: Partial<Record<AutomaticCause, string>> = {
  many_accounts:
    'Many new accounts were created on your device. Until a moderator has looked, you meet only people in the same situation.',
  sanction_lapsed:
    'The pause of your account is over. Until a moderator has looked, you meet only people in the same situation.',
  inherited: 'An account that was used on the same device, or with the same address, is paused or closed.',
};
const PAUSED_FOR_REPORTS =
  'Several people reported you within a short time. Your account is paused until a moderator has looked.';
const PAUSED_FOR_AGE =
  'You stated that you are under 18. Your account is paused until a moderator has looked.';
const PAUSED_FOR_IMAGE =
  'You sent an image that moderators have blocked. Your account is paused until a moderator has looked.';
/** Added to a notice if the only moderator has reviewed their own decision. */
const SOLO_REMARK = 'Decided by the same moderator, since there is only one.';

/** A notice as its recipient receives it. */
export const toNotice = (row: NoticeRow, now: Date, appealWithinMs: number): Notice => ({
  id: Number(row.id),
  kind: row.kind,
  createdAt: row.created_at.toISOString(),
  seenAt: row.seen_at?.toISOString() ?? null,
  rule: row.rule,
  facts: selectFacts(row),
  about: row.place === null ? null : { where: row.place, at: row.place_at?.toISOString() ?? null },
  decidedBy: row.is_automatic ? 'automatic' : 'moderator',
  from: row.starts_at?.toISOString() ?? null,
  until: row.until?.toISOString() ?? null,
  appeal: toNoticeAppeal(row, now, appealWithinMs),
  report: toNoticeReport(row),
});

const selectFacts = ({ kind, cause, rule, facts, is_solo: isSolo }: NoticeRow): string | null => {
  // The text of an appeal's decision is in the field `appeal`.
  if (kind === 'appeal_decided') return null;
  const isSuspension = kind === 'suspension' || kind === 'ban';
  if (isSuspension && cause === 'reports') return PAUSED_FOR_REPORTS;
  // `projectNotices` gives the cause 'age' to every automatic suspension without an end: for a stated age or for a
  // blocked image. The rule distinguishes them.
  if (isSuspension && cause === 'age') return rule === 'adults_only' ? PAUSED_FOR_AGE : PAUSED_FOR_IMAGE;
  // Only automatic notices have a cause. A moderator wrote the facts of the others.
  const knownFacts = cause === null ? facts : (automaticFacts[cause] ?? null);
  return isSolo ? appendSoloRemark(knownFacts) : knownFacts;
};

const appendSoloRemark = (text: string | null): string =>
  text === null ? SOLO_REMARK : `${text} ${SOLO_REMARK}`;

const toNoticeAppeal = (row: NoticeRow, now: Date, appealWithinMs: number): Notice['appeal'] => {
  const appealableUntil = new Date(row.created_at.getTime() + appealWithinMs);
  const state = findAppealState(row, { isPeriodOver: appealableUntil <= now });
  return {
    state,
    until: row.is_appealable ? appealableUntil.toISOString() : null,
    outcome: row.appeal_outcome,
    answer: state === 'decided' ? formatAnswer(row) : null,
  };
};

const findAppealState = (
  row: NoticeRow,
  { isPeriodOver }: { isPeriodOver: boolean },
): Notice['appeal']['state'] => {
  // The notice of an appeal's decision shows the decided appeal, although it cannot be appealed itself.
  if (!row.is_appealable && row.kind !== 'appeal_decided') return 'none';
  if (row.appeal_id === null) return isPeriodOver ? 'over' : 'possible';
  return row.appeal_outcome === null ? 'open' : 'decided';
};

const formatAnswer = ({ kind, is_solo: isSolo, appeal_answer: answer }: NoticeRow): string | null =>
  // In a notice of another kind, `is_solo` is about the decision itself.
  kind === 'appeal_decided' && isSolo ? appendSoloRemark(answer) : answer;

const toNoticeReport = ({
  report_id: id,
  report_outcome: outcome,
  report_category: category,
}: NoticeRow): Notice['report'] =>
  id === null || outcome === null || category === null ? null : { id: Number(id), category, outcome };
