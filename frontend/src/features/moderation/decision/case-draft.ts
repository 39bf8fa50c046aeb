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
import { formatFactsDate } from '@/features/moderation/spans';

const dayMs = 24 * 60 * 60_000;

/** Lengths of a suspension in days; `custom` stands for a date that the moderator enters. */
export const durations = ['1', '7', '30', 'custom'] as const;
export type Duration = (typeof durations)[number];

/** What a moderator has entered in the decision form of a case. It is kept until the case is decided. */
export interface CaseDraft {
  outcome: CaseOutcome | null;
  rule: HouseRule | null;
  /** What the person did, in a text that the person reads. */
  facts: string;
  /** Whether the moderator has edited `facts`, which then stay when another rule is chosen. */
  isFactsEdited: boolean;
  duration: Duration;
  /** The value of an `<input type="datetime-local">`. */
  customUntil: string;
  /** Ids of the images to block, all of them from the evidence. A blocked image cannot be sent again. */
  blockImages: readonly number[];
  /** Read by moderators only. */
  note: string;
  /** Whether this moderator confirms a ban that another one has imposed; null while not chosen. */
  isConfirmed: boolean | null;
  appealOutcome: AppealOutcome | null;
  /** The answer to an appeal, which its author reads. */
  answer: string;
}

/** Null for categories that are not about one rule. */
const ruleByCategory: Record<ReportCategory, HouseRule | null> = {
  minor: 'adults_only',
  threat: 'no_threats',
  self_harm: null,
  sexual: 'no_unwanted_sexual',
  hate: 'no_hate',
  privacy: 'no_private_data',
  spam: 'no_spam',
  other: null,
};

/** The rule that reports of the gravest category of a case are usually about; null if there is none. */
export const suggestRule = ({ categories }: Pick<ModerationCase, 'categories'>): HouseRule | null => {
  // The schema lists the gravest category first.
  const gravest = reportCategorySchema.options.find((category) => (categories[category] ?? 0) > 0);
  return gravest ? ruleByCategory[gravest] : null;
};

/**
 * When the incident happened: the time of the first marked message, else of the last message of the evidence, else of
 * the opening of the case.
 */
export const findTimeOfIncident = ({ evidence, openedAt }: ModerationCase): string => {
  const messages = evidence.flatMap((entry) => entry.messages);
  return (messages.find(({ isMarked }) => isMarked) ?? messages.at(-1))?.at ?? openedAt;
};

/**
 * Fills the date into the template of a rule.
 * @param happenedAt in ISO 8601
 */
export const buildFacts = (rule: HouseRule, happenedAt: string): string =>
  reasonTemplates[rule].replace('[date]', formatFactsDate(happenedAt));

export const createCaseDraft = (moderationCase: ModerationCase): CaseDraft => {
  const rule = suggestRule(moderationCase);
  return {
    outcome: null,
    rule,
    facts: rule ? buildFacts(rule, findTimeOfIncident(moderationCase)) : '',
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

/** Changes the rule of a draft. Facts that were not edited are replaced by the template of the new rule. */
export const withRule = (draft: CaseDraft, rule: HouseRule, happenedAt: string): CaseDraft => ({
  ...draft,
  rule,
  ...(draft.isFactsEdited ? {} : { facts: buildFacts(rule, happenedAt) }),
});

/** The end of a suspension, in ms since the epoch; null while the custom date is missing or invalid. */
export const computeSuspensionEnd = ({ duration, customUntil }: CaseDraft, now: number): number | null => {
  if (duration !== 'custom') return now + Number(duration) * dayMs;
  const until = new Date(customUntil).getTime();
  return Number.isNaN(until) ? null : until;
};

/** Whether the end of a suspension is set, and within the limits of 1 hour to 365 days from `now`. */
export const isUntilAllowed = (until: number | null, now: number): until is number =>
  until !== null && until >= now + limits.suspensionMinMs && until <= now + limits.suspensionMaxMs;

/** Counts the code points of the normalised text, as the server does. */
export const countCharacters = (text: string): number => countCodePoints(normalizeText(text));

/**
 * What is missing or invalid in a form. `choice`: no outcome is chosen. `short` and `long` are about the length of the
 * facts, or of the answer to an appeal.
 */
export type Problem = 'rule' | 'until' | 'short' | 'long' | 'choice';

const checkLength = (text: string): Problem | null => {
  const length = countCharacters(text);
  if (length < limits.factsMinCodePoints) return 'short';
  return length > limits.factsMaxCodePoints ? 'long' : null;
};

/** The end of a suspension; undefined for an outcome without an end, null while no valid end is entered. */
type Until = number | null | undefined;

const checkUntil = (until: Until, now: number): Problem | null =>
  until === undefined || isUntilAllowed(until, now) ? null : 'until';

/** `until` is not null when a body is built: null is the problem `until`. */
const buildUntilField = (until: Until): { until?: string } =>
  until === undefined || until === null ? {} : { until: new Date(until).toISOString() };

/** A request body, or the problems for which it cannot be built. */
export type BodyOrProblems<T> = { body: T; problems?: undefined } | { body?: undefined; problems: Problem[] };

/** Calls `build` unless one of `checks` is a problem. */
const buildIfValid = <T>(checks: readonly (Problem | null | false)[], build: () => T): BodyOrProblems<T> => {
  const problems = checks.filter((problem): problem is Problem => problem !== null && problem !== false);
  return problems.length > 0 ? { problems } : { body: build() };
};

/**
 * Builds the body of a decision.
 * @param version  version of the case that the moderator has seen
 * @param now  in ms since the epoch
 */
export const buildDecisionBody = (
  draft: CaseDraft,
  version: number,
  now: number,
): BodyOrProblems<DecideCase> => {
  const { outcome, rule, facts, blockImages } = draft;
  const note = draft.note.trim();
  const commonFields = {
    version,
    ...(blockImages.length > 0 ? { blockImages: [...blockImages] } : {}),
    ...(note === '' ? {} : { note }),
  };
  if (outcome === null) return { problems: ['choice'] };
  if (outcome === 'dismissed') return { body: { ...commonFields, outcome } };
  const until = outcome === 'suspended' ? computeSuspensionEnd(draft, now) : undefined;
  return buildIfValid([rule === null && 'rule', checkUntil(until, now), checkLength(facts)], () => ({
    ...commonFields,
    outcome,
    // `rule` is not null here: null is the problem `rule`.
    ...(rule ? { rule } : {}),
    facts: facts.trim(),
    ...buildUntilField(until),
  }));
};

/**
 * Builds the body that confirms or rejects the ban of another moderator. Facts are sent only if this moderator has
 * written new ones.
 * @param version  version of the case that the moderator has seen
 */
export const buildConfirmationBody = (draft: CaseDraft, version: number): BodyOrProblems<ConfirmBan> => {
  const facts = draft.isFactsEdited ? draft.facts.trim() : '';
  const { isConfirmed } = draft;
  return buildIfValid([isConfirmed === null && 'choice', facts !== '' && checkLength(facts)], () => ({
    version,
    // `isConfirmed` is not null here: null is the problem `choice`.
    isConfirmed: isConfirmed === true,
    ...(facts === '' ? {} : { facts }),
  }));
};

/**
 * Builds the body of the decision of an appeal.
 * @param version  version of the case that the moderator has seen
 * @param now  in ms since the epoch
 */
export const buildAppealDecisionBody = (
  draft: CaseDraft,
  version: number,
  now: number,
): BodyOrProblems<DecideAppeal> => {
  const { appealOutcome } = draft;
  if (appealOutcome === null) return { problems: ['choice'] };
  const until = appealOutcome === 'reduced' ? computeSuspensionEnd(draft, now) : undefined;
  return buildIfValid([checkUntil(until, now), checkLength(draft.answer)], () => ({
    version,
    outcome: appealOutcome,
    answer: draft.answer.trim(),
    ...buildUntilField(until),
  }));
};
