import * as z from 'zod/mini';
import { limits } from './limits.js';
import { idSchema, randomMessageIdSchema, sessionIdSchema, timestampSchema } from './scalars.js';
import { reportCategorySchema } from './standing.js';
import { countCodePoints, hasVisibleCharacter, normalizeText } from './text.js';

// `standing.js` contains those of the safety schemas that every page loads.
export * from './standing.js';

/** A text of 0 to `maxCodePoints` code points after normalisation. The server stores the normalised text. */
const boundedText = (maxCodePoints: number) =>
  z.string().check(z.refine((text) => countCodePoints(normalizeText(text)) <= maxCodePoints));

/** A text with a visible character, and with `minCodePoints` to `maxCodePoints` code points after normalisation. */
export const requiredText = (minCodePoints: number, maxCodePoints: number) =>
  z.string().check(
    z.refine((text) => {
      const normalized = normalizeText(text);
      const length = countCodePoints(normalized);
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
 * Body of POST /api/reports. The reported chat is identified by `sessionId` (a random chat) or `historyId` (an entry of
 * the chat history), not by both; without either, it is the private chat of reporter and target. The messages
 * `messageIds` are marked in the evidence. Their ids are strings for a random chat, numbers for a private chat. Ids of
 * other chats are ignored.
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

export const reportOutcomeSchema = z.enum(['action_taken', 'no_violation']);

/** A report as its reporter sees it, without the moderator who decided and without the sanction. */
export const reportSchema = z.object({
  id: idSchema,
  category: reportCategorySchema,
  createdAt: timestampSchema,
  state: z.enum(['received', 'decided']),
  outcome: z.nullable(reportOutcomeSchema),
  /** Whether the reporter has blocked the reported user. */
  blocked: z.boolean(),
});
export type Report = z.infer<typeof reportSchema>;

export const ageAnswerSchema = z.enum(['adult', 'minor']);
export type AgeAnswer = z.infer<typeof ageAnswerSchema>;

/** Body of PUT /api/notices/{noticeId}. `answer` is allowed only for a notice of the kind `age_question`. */
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
