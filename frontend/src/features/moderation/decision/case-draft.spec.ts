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

it('creates a draft with the suggested rule, and with its facts template, in which the date is filled in', () => {
  // The reports of `aCase` are of the category `sexual`; its evidence is of 20 November.
  expect(createDraft()).toMatchObject({
    outcome: null,
    rule: 'no_unwanted_sexual',
    facts:
      'On 20 November 2026 you went on with sexual messages or pictures that the other person had not asked for.',
  });
});

it('suggests the rule of the gravest category of reports, or none if that category has no rule', () => {
  // Numbers of reports by category. `minor` (a person under 18) is graver than `spam`.
  expect(suggestRule({ categories: { spam: 3, minor: 1 } })).toBe('adults_only');
  expect(suggestRule({ categories: { other: 1 } })).toBeNull();
});

it('replaces the facts when the rule changes, unless they were edited', () => {
  const happenedAt = '2026-11-20T21:00:00.000Z';
  const untouched = createDraft();
  expect(withRule(untouched, 'no_hate', happenedAt).facts).toBe(
    'On 20 November 2026 you insulted somebody for who they are.',
  );
  const edited = createDraft({ facts: 'my words', isFactsEdited: true });
  expect(withRule(edited, 'no_hate', happenedAt).facts).toBe('my words');
});

it.each<[title: string, changes: Partial<CaseDraft>, expected: object]>([
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

/** Lacks `customUntil`, the end in the local time zone. */
const customSuspension = { outcome: 'suspended', facts: validText, duration: 'custom' } as const;
it.each<[title: string, problem: Problem, changes: Partial<CaseDraft>]>([
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

it('builds the confirmation of a ban without facts if the moderator has not edited them', () => {
  const { body } = buildConfirmationBody(createDraft({ isConfirmed: true }), version);
  expect(body).toEqual({ version, isConfirmed: true });
});

it('builds the rejection of a ban with the facts that the moderator has edited', () => {
  const draft = createDraft({ isConfirmed: false, facts: validText, isFactsEdited: true });
  const { body } = buildConfirmationBody(draft, version);
  expect(confirmBanSchema.parse(body)).toEqual({ version, isConfirmed: false, facts: validText });
});

it('reports a problem if neither confirmation nor rejection of a ban is chosen', () => {
  expect(buildConfirmationBody(createDraft(), version).problems).toEqual(['choice']);
});

it('builds the decision of an appeal that reverses the sanction, without an end', () => {
  const draft = createDraft({ appealOutcome: 'reversed', answer: validText });
  const { body } = buildAppealDecisionBody(draft, version, now);
  expect(decideAppealSchema.parse(body)).toEqual({ version, outcome: 'reversed', answer: validText });
});

it('builds the decision of an appeal that reduces the sanction, with a new end', () => {
  const draft = createDraft({ appealOutcome: 'reduced', duration: '1', answer: validText });
  const { body } = buildAppealDecisionBody(draft, version, now);
  expect(decideAppealSchema.parse(body)).toEqual({
    version,
    outcome: 'reduced',
    answer: validText,
    until: '2026-11-22T10:00:00.000Z',
  });
});

it('reports a problem if the decision of an appeal has no answer', () => {
  const draft = createDraft({ appealOutcome: 'upheld' });
  expect(buildAppealDecisionBody(draft, version, now).problems).toEqual(['short']);
});
