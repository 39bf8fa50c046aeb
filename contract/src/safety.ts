import * as z from 'zod/mini';
import { limits } from './limits.js';
import { idSchema, randomMessageIdSchema, sessionIdSchema, timestampSchema } from './scalars.js';
import { codePointLength, hasVisibleCharacter, normalizeText } from './text.js';

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

export const standingKindSchema = z.enum(['good', 'care', 'age_question', 'suspended', 'banned']);
export type StandingKind = z.infer<typeof standingKindSchema>;

/** Whether a user may use the product. `until` is null without an end; `noticeId` is the notice that explains it. */
export const standingSchema = z.object({
  kind: standingKindSchema,
  since: z.nullable(timestampSchema),
  until: z.nullable(timestampSchema),
  noticeId: z.nullable(idSchema),
});
export type Standing = z.infer<typeof standingSchema>;

export const goodStanding: Standing = { kind: 'good', since: null, until: null, noticeId: null };

/** Whether a standing excludes its user from everything except notices, appeals and their own data. */
export const isExcluded = ({ kind }: Pick<Standing, 'kind'>): boolean =>
  kind === 'suspended' || kind === 'banned';

/** A text of 0 to `maxCodePoints` code points after normalisation. The server stores the normalised text. */
const boundedText = (maxCodePoints: number) =>
  z.string().check(z.refine((text) => codePointLength(normalizeText(text)) <= maxCodePoints));

/** A text of `minCodePoints` to `maxCodePoints` code points after normalisation that shows at least one character. */
export const requiredText = (minCodePoints: number, maxCodePoints: number) =>
  z.string().check(
    z.refine((text) => {
      const normalized = normalizeText(text);
      const length = codePointLength(normalized);
      return length >= minCodePoints && length <= maxCodePoints && hasVisibleCharacter(normalized);
    }),
  );

/** Body of POST /api/blocks. */
export const blockUserSchema = z.object({ blockerId: idSchema, blockedId: idSchema });
export type BlockUser = z.infer<typeof blockUserSchema>;

/** Response body of POST /api/blocks. */
export const blockSchema = z.object({ blockedId: idSchema, createdAt: timestampSchema });
export type Block = z.infer<typeof blockSchema>;

/** One entry of the array that GET /api/blocks/{userId} returns, newest first. */
export const blockedUserSchema = z.extend(blockSchema, {
  username: z.string(),
  avatar: z.nullable(z.string()),
});
export type BlockedUser = z.infer<typeof blockedUserSchema>;

/**
 * Body of POST /api/reports. The chat is given by `sessionId` (a random chat) or `historyId` (an entry of the chat
 * history); without both it is the private chat of the two. `messageIds` are marked in the evidence: strings of a
 * random chat, numbers of a private chat; ids of other chats are ignored.
 */
export const fileReportSchema = z
  .object({
    reporterId: idSchema,
    targetId: idSchema,
    category: reportCategorySchema,
    words: z.optional(boundedText(limits.reportWordsMaxCodePoints)),
    sessionId: z.optional(sessionIdSchema),
    historyId: z.optional(idSchema),
    messageIds: z.optional(
      z.array(z.union([randomMessageIdSchema, idSchema])).check(z.maxLength(limits.markedMessagesPerReport)),
    ),
    alsoBlock: z.optional(z.boolean()),
  })
  .check(z.refine(({ sessionId, historyId }) => sessionId === undefined || historyId === undefined));
export type FileReport = z.infer<typeof fileReportSchema>;

/** A report as its reporter sees it: never who decided, and never which sanction. */
export const reportSchema = z.object({
  id: idSchema,
  category: reportCategorySchema,
  createdAt: timestampSchema,
  state: z.enum(['received', 'decided']),
  outcome: z.nullable(z.enum(['action_taken', 'no_violation'])),
  /** Whether the reporter has blocked the reported user. */
  blocked: z.boolean(),
});
export type Report = z.infer<typeof reportSchema>;

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

/** A statement to one user about a decision that concerns them. */
export const noticeSchema = z.object({
  id: idSchema,
  kind: noticeKindSchema,
  createdAt: timestampSchema,
  seenAt: z.nullable(timestampSchema),
  rule: z.nullable(houseRuleSchema),
  facts: z.nullable(z.string()),
  about: z.nullable(
    z.object({
      where: z.enum(['random_chat', 'private_chat', 'profile', 'account']),
      at: z.nullable(timestampSchema),
    }),
  ),
  decidedBy: z.enum(['moderator', 'automatic']),
  from: z.nullable(timestampSchema),
  until: z.nullable(timestampSchema),
  /** `answer` is the deciding moderator's text. */
  appeal: z.object({
    state: z.enum(['none', 'possible', 'open', 'decided', 'over']),
    until: z.nullable(timestampSchema),
    outcome: z.nullable(appealOutcomeSchema),
    answer: z.nullable(z.string()),
  }),
  /** In `report_decided` only. */
  report: z.nullable(
    z.object({
      id: idSchema,
      category: reportCategorySchema,
      outcome: z.enum(['action_taken', 'no_violation']),
    }),
  ),
});
export type Notice = z.infer<typeof noticeSchema>;

export const ageAnswerSchema = z.enum(['adult', 'minor']);
export type AgeAnswer = z.infer<typeof ageAnswerSchema>;

/** Body of PUT /api/notices/{noticeId}. `answer` is allowed for `age_question` only. */
export const readNoticeSchema = z.object({ seen: z.literal(true), answer: z.optional(ageAnswerSchema) });
export type ReadNotice = z.infer<typeof readNoticeSchema>;

/** Body of POST /api/appeals. */
export const fileAppealSchema = z.object({
  userId: idSchema,
  noticeId: idSchema,
  words: requiredText(1, limits.appealWordsMaxCodePoints),
});
export type FileAppeal = z.infer<typeof fileAppealSchema>;

/** Response body of POST /api/appeals. */
export const appealSchema = z.object({
  id: idSchema,
  noticeId: idSchema,
  createdAt: timestampSchema,
  state: z.literal('open'),
});
export type Appeal = z.infer<typeof appealSchema>;

/** Frame to all sockets of a user who has blocked or unblocked another. */
export const blockChangedSchema = z.object({ userId: idSchema, isBlocked: z.boolean() });
