import { countCodePoints, normalizeText } from '@thaw/contract/text';
import { limits } from '@thaw/contract/limits';
import {
  type CaseOutcome,
  type ConfirmBan,
  type DecideAppeal,
  type DecideCase,
  type ModerationCase,
} from '@thaw/contract/moderation';
import { reasonTemplates } from '@thaw/contract/reason-templates';
import {
  reportCategorySchema,
  type AppealOutcome,
  type HouseRule,
  type ReportCategory,
} from '@thaw/contract/standing';
import { formatDayOfFacts } from '@/features/moderation/spans';

const dayMs = 24 * 60 * 60_000;

export const durations = ['1', '7', '30', 'custom'] as const;
export type Duration = (typeof durations)[number];

/** What a moderator has entered for a case; kept until the case is decided. */
export interface CaseDraft {
  outcome: CaseOutcome | null;
  rule: HouseRule | null;
  facts: string;
  /** The facts differ from the template, so a change of the rule keeps them. */
  isFactsEdited: boolean;
  duration: Duration;
  /** The value of an `<input type="datetime-local">`. */
  customUntil: string;
  blockImages: readonly number[];
  note: string;
  isConfirmed: boolean | null;
  appealOutcome: AppealOutcome | null;
  answer: string;
}

const rulesByCategory: Record<ReportCategory, HouseRule | null> = {
  minor: 'adults_only',
  threat: 'no_threats',
  self_harm: null,
  sexual: 'no_unwanted_sexual',
  hate: 'no_hate',
  privacy: 'no_private_data',
  spam: 'no_spam',
  other: null,
};

/** The rule that the gravest category of a case points to. */
export const suggestRule = ({ categories }: Pick<ModerationCase, 'categories'>): HouseRule | null => {
  const gravest = reportCategorySchema.options.find((category) => (categories[category] ?? 0) > 0);
  return gravest ? rulesByCategory[gravest] : null;
};

/** When it happened: the first marked message, else the last one before the case was opened. */
export const findTimeOfIncident = ({ evidence, openedAt }: ModerationCase): string => {
  const messages = evidence.flatMap((entry) => entry.messages);
  return (messages.find(({ isMarked }) => isMarked) ?? messages.at(-1))?.at ?? openedAt;
};

export const buildFacts = (rule: HouseRule, happenedAt: string): string =>
  reasonTemplates[rule].replace('[date]', formatDayOfFacts(happenedAt));

export const createCaseDraft = (shown: ModerationCase): CaseDraft => {
  const rule = suggestRule(shown);
  return {
    outcome: null,
    rule,
    facts: rule ? buildFacts(rule, findTimeOfIncident(shown)) : '',
    isFactsEdited: false,
    duration: '7',
    customUntil: '',
    blockImages: [],
    note: '',
    isConfirmed: null,
    appealOutcome: null,
    answer: '',
  };
};

/** Changes the rule. Facts that were not edited follow it. */
export const withRule = (draft: CaseDraft, rule: HouseRule, happenedAt: string): CaseDraft => ({
  ...draft,
  rule,
  ...(draft.isFactsEdited ? {} : { facts: buildFacts(rule, happenedAt) }),
});

/** The end that a draft names, in ms since the epoch; null while it names none. */
export const computeSuspensionEnd = ({ duration, customUntil }: CaseDraft, now: number): number | null => {
  if (duration !== 'custom') return now + Number(duration) * dayMs;
  const until = new Date(customUntil).getTime();
  return Number.isNaN(until) ? null : until;
};

export const isUntilAllowed = (until: number | null, now: number): until is number =>
  until !== null && until >= now + limits.suspensionMinMs && until <= now + limits.suspensionMaxMs;

export const countCharacters = (text: string): number => countCodePoints(normalizeText(text));

export type Problem = 'rule' | 'until' | 'short' | 'long' | 'choice';

const checkFacts = (text: string): Problem | null => {
  const length = countCharacters(text);
  if (length < limits.factsMinCodePoints) return 'short';
  return length > limits.factsMaxCodePoints ? 'long' : null;
};

/** A body to send, or what is missing. */
export type Checked<T> = { body: T; problems?: undefined } | { body?: undefined; problems: Problem[] };

const check = <T>(problems: readonly (Problem | null | false)[], build: () => T): Checked<T> => {
  const found = problems.filter((problem): problem is Problem => problem !== null && problem !== false);
  return found.length > 0 ? { problems: found } : { body: build() };
};

/** @param now the present time, in ms since the epoch */
export const toDecision = (draft: CaseDraft, version: number, now: number): Checked<DecideCase> => {
  const { outcome, rule, facts, blockImages } = draft;
  const note = draft.note.trim();
  const common = {
    version,
    ...(blockImages.length > 0 ? { blockImages: [...blockImages] } : {}),
    ...(note === '' ? {} : { note }),
  };
  if (outcome === null) return { problems: ['choice'] };
  if (outcome === 'dismissed') return { body: { ...common, outcome } };
  const until = outcome === 'suspended' ? computeSuspensionEnd(draft, now) : undefined;
  return check(
    [
      rule === null && 'rule',
      until !== undefined && !isUntilAllowed(until, now) && 'until',
      checkFacts(facts),
    ],
    () => ({
      ...common,
      outcome,
      ...(rule ? { rule } : {}),
      facts: facts.trim(),
      ...(until === undefined || until === null ? {} : { until: new Date(until).toISOString() }),
    }),
  );
};

export const toConfirmation = (draft: CaseDraft, version: number): Checked<ConfirmBan> => {
  const facts = draft.isFactsEdited ? draft.facts.trim() : '';
  const { isConfirmed } = draft;
  return check([isConfirmed === null && 'choice', facts !== '' && checkFacts(facts)], () => ({
    version,
    isConfirmed: isConfirmed === true,
    ...(facts === '' ? {} : { facts }),
  }));
};

export const toAppealDecision = (draft: CaseDraft, version: number, now: number): Checked<DecideAppeal> => {
  const { appealOutcome } = draft;
  if (appealOutcome === null) return { problems: ['choice'] };
  const until = appealOutcome === 'reduced' ? computeSuspensionEnd(draft, now) : undefined;
  return check(
    [until !== undefined && !isUntilAllowed(until, now) && 'until', checkFacts(draft.answer)],
    () => ({
      version,
      outcome: appealOutcome,
      answer: draft.answer.trim(),
      ...(until === undefined || until === null ? {} : { until: new Date(until).toISOString() }),
    }),
  );
};
