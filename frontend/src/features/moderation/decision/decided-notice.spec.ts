import { createCaseDraft, type CaseDraft } from '@/features/moderation/decision/case-draft';
import { buildDecisionNotice } from '@/features/moderation/decision/decided-notice';
import { aCase } from '@/testing/moderation-factories';

const now = Date.parse('2026-11-21T10:00:00.000Z');

// A person in care is matched only with others in care, until a moderator has reviewed their case.
it('builds a notice for each outcome; for a dismissal only if it lifts a restriction such as care', () => {
  const getNoticeKind = (outcome: CaseDraft['outcome'], changes = {}) =>
    buildDecisionNotice(aCase(changes), { ...createCaseDraft(aCase()), outcome }, now)?.kind;
  expect([getNoticeKind('warned'), getNoticeKind('suspended'), getNoticeKind('banned')]).toEqual([
    'warning',
    'suspension',
    'ban',
  ]);
  expect(getNoticeKind('dismissed')).toBeUndefined();
  expect(getNoticeKind('dismissed', { standing: 'care' })).toBe('lifted');
});
