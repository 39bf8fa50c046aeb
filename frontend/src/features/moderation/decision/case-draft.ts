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
  /** What the user did. The notice to the user contains this text. */
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

/** The rule for the gravest category among the reports of a case; null if that category has none. */
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
 * @param timeOfIncident in ISO 8601
 */
export const buildFacts = (rule: HouseRule, timeOfIncident: string): string =>
  reasonTemplates[rule].replace('[date]', formatFactsDate(timeOfIncident));

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
export const withRule = (draft: CaseDraft, rule: HouseRule, timeOfIncident: string): CaseDraft => ({
  ...draft,
  rule,
  facts: draft.isFactsEdited ? draft.facts : buildFacts(rule, timeOfIncident),
});

/** The end of a suspension, in ms since the epoch; null while the custom date is missing or invalid. */
export const computeSuspensionEnd = ({ duration, customUntil }: CaseDraft, now: number): number | null => {
  if (duration !== 'custom') return now + Number(duration) * dayMs;
  const until = new Date(customUntil).getTime();
  return Number.isNaN(until) ? null : until;
};

/** Counts the code points of the normalised text, as the server does. */
export const countCharacters = (text: string): number => countCodePoints(normalizeText(text));

/**
 * What is missing or invalid in a form. `choice`: no outcome is chosen. `short` and `long` are about the length of the
 * facts, or of the answer to an appeal.
 */
export type Problem = 'rule' | 'until' | 'short' | 'long' | 'choice';

const findLengthProblem = (text: string): Problem | null => {
  const length = countCharacters(text);
  if (length < limits.factsMinCodePoints) return 'short';
  return length > limits.factsMaxCodePoints ? 'long' : null;
};

/** The field of a body for the end of a suspension; null while no end of 1 hour to 365 days from `now` is entered. */
const buildUntilField = (draft: CaseDraft, now: number): { until: string } | null => {
  const end = computeSuspensionEnd(draft, now);
  if (end === null || end < now + limits.suspensionMinMs || end > now + limits.suspensionMaxMs) return null;
  return { until: new Date(end).toISOString() };
};

/** A request body, or the problems for which it cannot be built. */
export type BodyOrProblems<T> = { body: T; problems?: undefined } | { body?: undefined; problems: Problem[] };

/** Collects the problems that checks have found. Null or false: the check has found none. */
const createProblems = (...results: (Problem | null | false)[]): { problems: Problem[] } => ({
  problems: results.filter((result): result is Problem => result !== null && result !== false),
});

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
  if (outcome === null) return { problems: ['choice'] };
  const note = draft.note.trim();
  const commonFields = {
    version,
    ...(blockImages.length > 0 ? { blockImages: [...blockImages] } : {}),
    ...(note === '' ? {} : { note }),
  };
  if (outcome === 'dismissed') return { body: { ...commonFields, outcome } };
  const untilField: { until?: string } | null = outcome === 'suspended' ? buildUntilField(draft, now) : {};
  const lengthProblem = findLengthProblem(facts);
  if (rule === null || untilField === null || lengthProblem !== null)
    return createProblems(rule === null && 'rule', untilField === null && 'until', lengthProblem);
  return { body: { ...commonFields, outcome, rule, facts: facts.trim(), ...untilField } };
};

/**
 * Builds the body that confirms or rejects the ban of another moderator. Facts are sent only if this moderator has
 * written new ones.
 * @param version  version of the case that the moderator has seen
 */
export const buildConfirmationBody = (draft: CaseDraft, version: number): BodyOrProblems<ConfirmBan> => {
  const { isConfirmed } = draft;
  const facts = draft.isFactsEdited ? draft.facts.trim() : '';
  const lengthProblem = facts === '' ? null : findLengthProblem(facts);
  if (isConfirmed === null || lengthProblem !== null)
    return createProblems(isConfirmed === null && 'choice', lengthProblem);
  return { body: { version, isConfirmed, ...(facts === '' ? {} : { facts }) } };
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
  const { appealOutcome, answer } = draft;
  if (appealOutcome === null) return { problems: ['choice'] };
  const untilField: { until?: string } | null =
    appealOutcome === 'reduced' ? buildUntilField(draft, now) : {};
  const lengthProblem = findLengthProblem(answer);
  if (untilField === null || lengthProblem !== null)
    return createProblems(untilField === null && 'until', lengthProblem);
  return { body: { version, outcome: appealOutcome, answer: answer.trim(), ...untilField } };
};
