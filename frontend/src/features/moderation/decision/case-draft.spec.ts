import { limits } from '@thaw/contract/limits';
import { decideAppealSchema, decideCaseSchema, confirmBanSchema } from '@thaw/contract/moderation';
import {
  createCaseDraft,
  suggestRule,
  buildAppealDecisionBody,
  buildConfirmationBody,
  buildDecisionBody,
  withRule,
  type CaseDraft,
  type Problem,
} from '@/features/moderation/decision/case-draft';
import { aCase } from '@/testing/moderation-factories';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const version = 5;
const createDraft = (changes: Partial<CaseDraft> = {}): CaseDraft => ({
  ...createCaseDraft(aCase()),
  ...changes,
});
/** Long enough for the facts of a decision and for the answer to an appeal. */
const validText = 'We looked again and keep the decision.';

it('creates a draft with the rule of the gravest category, and its facts template with the date filled in', () => {
  // The reports of `aCase` are of the category `sexual`; its evidence is of 20 November.
  expect(createDraft()).toMatchObject({
    outcome: null,
    rule: 'no_unwanted_sexual',
    facts:
      'On 20 November 2026 you went on with sexual messages or pictures that the other person had not asked for.',
  });
  // Numbers of reports by category; `minor` is about a person under 18.
  expect(suggestRule({ categories: { spam: 3, minor: 1 } })).toBe('adults_only');
  expect(suggestRule({ categories: { other: 1 } })).toBeNull();
});

it('replaces the facts when the rule changes, unless they were edited', () => {
  const happenedAt = '2026-11-20T21:00:00.000Z';
  expect(withRule(createDraft(), 'no_hate', happenedAt).facts).toBe(
    'On 20 November 2026 you insulted somebody for who they are.',
  );
  expect(withRule(createDraft({ facts: 'my words', isFactsEdited: true }), 'no_hate', happenedAt).facts).toBe(
    'my words',
  );
});

it.each<[string, Partial<CaseDraft>, object]>([
  ['a dismissal without rule, facts and end', { outcome: 'dismissed' }, { version, outcome: 'dismissed' }],
  [
    'a suspension with an end, trimmed texts and images to block',
    {
      outcome: 'suspended',
      duration: '30', // days
      facts: ` ${validText} `,
      note: ' seen before ',
      blockImages: [1],
    },
    {
      version,
      outcome: 'suspended',
      rule: 'no_unwanted_sexual',
      facts: validText,
      until: '2026-12-21T10:00:00.000Z',
      note: 'seen before',
      blockImages: [1],
    },
  ],
  [
    'a ban without an end',
    { outcome: 'banned', facts: validText },
    { version, outcome: 'banned', rule: 'no_unwanted_sexual', facts: validText },
  ],
])('builds the body of %s', (_title, changes, expected) => {
  const { body } = buildDecisionBody(createDraft(changes), version, now);
  expect(body).toEqual(expected);
  expect(decideCaseSchema.parse(body)).toEqual(expected);
});

/** Each case adds `customUntil`, the value of the date field, in the local time zone. */
const customSuspension = { outcome: 'suspended', facts: validText, duration: 'custom' } as const;
it.each<[string, Problem, Partial<CaseDraft>]>([
  ['no outcome is chosen', 'choice', {}],
  ['a warning has no rule', 'rule', { outcome: 'warned', rule: null, facts: validText }],
  ['the facts are too short', 'short', { outcome: 'warned', facts: '   too short   ' }],
  ['the facts are too long', 'long', { outcome: 'warned', facts: 'x'.repeat(limits.factsMaxCodePoints + 1) }],
  ['the end is missing', 'until', { ...customSuspension, customUntil: '' }],
  ['the end is less than 1 hour ahead', 'until', { ...customSuspension, customUntil: '2026-11-21T10:30' }],
  ['the end is more than 365 days ahead', 'until', { ...customSuspension, customUntil: '2028-11-21T10:30' }],
])('reports a problem if %s', (_title, problem, changes) => {
  expect(buildDecisionBody(createDraft(changes), version, now).problems).toEqual([problem]);
});

it('counts the code points of the facts, not the UTF-16 code units', () => {
  const findProblems = (facts: string) =>
    buildDecisionBody(createDraft({ outcome: 'warned', facts }), version, now).problems;
  // An emoji of one code point and two code units.
  expect(findProblems('🙂'.repeat(limits.factsMaxCodePoints))).toBeUndefined();
  expect(findProblems('🙂'.repeat(limits.factsMinCodePoints - 1))).toEqual(['short']);
});

it('builds the confirmation of a ban, with facts only if they were edited, and requires a choice', () => {
  // The facts of this draft are those of the template, which the moderator has not written.
  expect(buildConfirmationBody(createDraft({ isConfirmed: true }), version).body).toEqual({
    version,
    isConfirmed: true,
  });
  const { body } = buildConfirmationBody(
    createDraft({ isConfirmed: false, facts: validText, isFactsEdited: true }),
    version,
  );
  expect(confirmBanSchema.parse(body)).toEqual({ version, isConfirmed: false, facts: validText });
  expect(buildConfirmationBody(createDraft(), version).problems).toEqual(['choice']);
});

it('builds the decision of an appeal, with a new end only if the sanction is reduced, and requires an answer', () => {
  const reversed = buildAppealDecisionBody(
    createDraft({ appealOutcome: 'reversed', answer: validText }),
    version,
    now,
  ).body;
  expect(decideAppealSchema.parse(reversed)).toEqual({ version, outcome: 'reversed', answer: validText });
  const reduced = buildAppealDecisionBody(
    createDraft({ appealOutcome: 'reduced', duration: '1', answer: validText }),
    version,
    now,
  ).body;
  expect(decideAppealSchema.parse(reduced)).toEqual({
    version,
    outcome: 'reduced',
    answer: validText,
    until: '2026-11-22T10:00:00.000Z',
  });
  expect(buildAppealDecisionBody(createDraft({ appealOutcome: 'upheld' }), version, now).problems).toEqual([
    'short',
  ]);
});
