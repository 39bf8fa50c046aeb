import * as z from 'zod/mini';
import { idSchema, timestampSchema } from './scalars.js';

// The part of the safety schemas that every page loads: the standing, the notices and the frame about blocks. safety.ts
// re-exports this file and adds the rest.

/** What a report is about. */
export const reportCategorySchema = z.enum([
  'minor',
  'threat',
  'self_harm',
  'sexual',
  'hate',
  'privacy',
  'spam',
  'other',
]);
export type ReportCategory = z.infer<typeof reportCategorySchema>;

/** The house rules, in the order of `/rules`. */
export const houseRuleSchema = z.enum([
  'adults_only',
  'no_threats',
  'no_unwanted_sexual',
  'no_hate',
  'no_private_data',
  'no_spam',
  'no_illegal',
]);
export type HouseRule = z.infer<typeof houseRuleSchema>;

/**
 * `care`: the user is matched only with other users of this standing. `age_question`: the user has to answer whether
 * they are an adult.
 */
export const standingKindSchema = z.enum(['good', 'care', 'age_question', 'suspended', 'banned']);
export type StandingKind = z.infer<typeof standingKindSchema>;

/** Whether a user may use the product. All fields but `kind` are null for the kind `good`. */
export const standingSchema = z.object({
  kind: standingKindSchema,
  since: z.nullable(timestampSchema),
  /** Null if no end is set. */
  until: z.nullable(timestampSchema),
  /** The notice that gives the reason. */
  noticeId: z.nullable(idSchema),
});
export type Standing = z.infer<typeof standingSchema>;

export const goodStanding: Standing = { kind: 'good', since: null, until: null, noticeId: null };

/** Whether the user is restricted to reading notices, filing appeals, and exporting or erasing their data. */
export const isExcluded = ({ kind }: Pick<Standing, 'kind'>): boolean =>
  kind === 'suspended' || kind === 'banned';

export const noticeKindSchema = z.enum([
  'warning',
  'care',
  'age_question',
  'suspension',
  'ban',
  'lifted',
  'appeal_decided',
  'report_decided',
]);
export type NoticeKind = z.infer<typeof noticeKindSchema>;

export const appealOutcomeSchema = z.enum(['upheld', 'reduced', 'reversed']);
export type AppealOutcome = z.infer<typeof appealOutcomeSchema>;

/** A message of the service to one user about a decision that concerns them. */
export const noticeSchema = z.object({
  id: idSchema,
  kind: noticeKindSchema,
  createdAt: timestampSchema,
  seenAt: z.nullable(timestampSchema),
  /** The rule that the user has violated; null if the decision names none. */
  rule: z.nullable(houseRuleSchema),
  /** The reason of the decision in words; null where the frontend has a fixed text. */
  facts: z.nullable(z.string()),
  /** The conduct that the decision is about: where and when it took place. */
  about: z.nullable(
    z.object({
      where: z.enum(['random_chat', 'private_chat', 'profile', 'account']),
      at: z.nullable(timestampSchema),
    }),
  ),
  decidedBy: z.enum(['moderator', 'automatic']),
  /** The period of the restriction. Without an end, `until` is null. */
  from: z.nullable(timestampSchema),
  until: z.nullable(timestampSchema),
  /** The user's appeal against the decision. `answer` is the text of the moderator who decided the appeal. */
  appeal: z.object({
    /** `none` if the notice cannot be appealed, `over` if the period for an appeal has ended. */
    state: z.enum(['none', 'possible', 'open', 'decided', 'over']),
    until: z.nullable(timestampSchema),
    outcome: z.nullable(appealOutcomeSchema),
    answer: z.nullable(z.string()),
  }),
  /** Null except in notices of the kind `report_decided`. */
  report: z.nullable(
    z.object({
      id: idSchema,
      category: reportCategorySchema,
      outcome: z.enum(['action_taken', 'no_violation']),
    }),
  ),
});
export type Notice = z.infer<typeof noticeSchema>;

/** Frame to all sockets of a user who has blocked or unblocked another. */
export const blockChangedSchema = z.object({ userId: idSchema, isBlocked: z.boolean() });
