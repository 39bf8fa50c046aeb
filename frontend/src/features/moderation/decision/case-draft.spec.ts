import { decideAppealSchema, decideCaseSchema, confirmBanSchema } from '@thaw/contract/moderation';
import {
  createCaseDraft,
  suggestRule,
  toAppealDecision,
  toConfirmation,
  toDecision,
  withRule,
  type CaseDraft,
} from '@/features/moderation/decision/case-draft';
import { buildDecisionNotice } from '@/features/moderation/decision/decided-notice';
import { aCase } from '@/testing/moderation-factories';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const draft = (changes: Partial<CaseDraft> = {}): CaseDraft => ({ ...createCaseDraft(aCase()), ...changes });
const answer = 'We looked again and keep the decision.';

it('begins with the rule of the gravest category and its template, with the date of the first marked message', () => {
  expect(draft()).toMatchObject({
    outcome: null,
    rule: 'no_unwanted_sexual',
    facts:
      'On 20 November 2026 you went on with sexual messages or pictures that the other person had not asked for.',
  });
  expect(suggestRule({ categories: { spam: 3, minor: 1 } })).toBe('adults_only');
  expect(suggestRule({ categories: { other: 1 } })).toBeNull();
});

it('changes the facts with the rule until they are edited', () => {
  const at = '2026-11-20T21:00:00.000Z';
  expect(withRule(draft(), 'no_hate', at).facts).toBe(
    'On 20 November 2026 you insulted somebody for who they are.',
  );
  expect(withRule(draft({ facts: 'my words', isFactsEdited: true }), 'no_hate', at).facts).toBe('my words');
});

it.each<[string, Partial<CaseDraft>, object]>([
  ['a dismissal without rule, facts and end', { outcome: 'dismissed' }, { version: 5, outcome: 'dismissed' }],
  [
    'a suspension with its end',
    { outcome: 'suspended', duration: '30', facts: ` ${answer} `, note: ' seen before ', blockImages: [1] },
    {
      version: 5,
      outcome: 'suspended',
      rule: 'no_unwanted_sexual',
      facts: answer,
      until: '2026-12-21T10:00:00.000Z',
      note: 'seen before',
      blockImages: [1],
    },
  ],
  [
    'a ban without an end',
    { outcome: 'banned', facts: answer },
    { version: 5, outcome: 'banned', rule: 'no_unwanted_sexual', facts: answer },
  ],
])('sends %s', (_what, changes, expected) => {
  const { body } = toDecision(draft(changes), 5, now);
  expect(body).toEqual(expected);
  expect(decideCaseSchema.parse(body)).toEqual(expected);
});

it.each<[string, Partial<CaseDraft>]>([
  ['choice', {}],
  ['rule', { outcome: 'warned', rule: null, facts: answer }],
  ['short', { outcome: 'warned', facts: '   too short   ' }],
  ['long', { outcome: 'warned', facts: 'x'.repeat(1001) }],
  ['until', { outcome: 'suspended', facts: answer, duration: 'custom', customUntil: '' }],
  ['until', { outcome: 'suspended', facts: answer, duration: 'custom', customUntil: '2026-11-21T10:30' }],
  ['until', { outcome: 'suspended', facts: answer, duration: 'custom', customUntil: '2028-11-21T10:30' }],
])('asks for what is missing: %s', (problem, changes) => {
  expect(toDecision(draft(changes), 5, now).problems).toEqual([problem]);
});

it('counts code points, not code units', () => {
  expect(toDecision(draft({ outcome: 'warned', facts: '🙂'.repeat(1000) }), 5, now).problems).toBeUndefined();
  expect(toDecision(draft({ outcome: 'warned', facts: '🙂'.repeat(19) }), 5, now).problems).toEqual([
    'short',
  ]);
});

it('sends the second look at a ban, with facts only if they were written for it', () => {
  expect(toConfirmation(draft({ isConfirmed: true }), 7).body).toEqual({ version: 7, isConfirmed: true });
  const { body } = toConfirmation(draft({ isConfirmed: false, facts: answer, isFactsEdited: true }), 7);
  expect(confirmBanSchema.parse(body)).toEqual({ version: 7, isConfirmed: false, facts: answer });
  expect(toConfirmation(draft(), 7).problems).toEqual(['choice']);
});

it('sends the decision of an appeal, with a new end only if it is reduced', () => {
  const reversed = toAppealDecision(draft({ appealOutcome: 'reversed', answer }), 7, now).body;
  expect(decideAppealSchema.parse(reversed)).toEqual({ version: 7, outcome: 'reversed', answer });
  const reduced = toAppealDecision(draft({ appealOutcome: 'reduced', duration: '1', answer }), 7, now).body;
  expect(decideAppealSchema.parse(reduced)).toEqual({
    version: 7,
    outcome: 'reduced',
    answer,
    until: '2026-11-22T10:00:00.000Z',
  });
  expect(toAppealDecision(draft({ appealOutcome: 'upheld' }), 7, now).problems).toEqual(['short']);
});

it('shows the notice of each outcome', () => {
  const getNoticeKind = (outcome: CaseDraft['outcome'], changes = {}) =>
    buildDecisionNotice(aCase(changes), draft({ outcome }), now)?.kind;
  expect([getNoticeKind('warned'), getNoticeKind('suspended'), getNoticeKind('banned')]).toEqual([
    'warning',
    'suspension',
    'ban',
  ]);
  expect(getNoticeKind('dismissed')).toBeUndefined();
  expect(getNoticeKind('dismissed', { standing: 'care' })).toBe('lifted');
});
