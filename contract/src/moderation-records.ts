import * as z from 'zod/mini';
import { caseOutcomeSchema } from './moderation.js';
import { houseRuleSchema } from './standing.js';
import { idSchema, timestampSchema } from './scalars.js';

// What moderators read besides cases: blocked images, the audit log and the figures.

/** One entry of GET /api/moderation/images: an image that no user can send any more. */
export const blockedImageSchema = z.object({
  id: idSchema,
  sha256: z.string(),
  rule: houseRuleSchema,
  caseId: z.nullable(idSchema),
  moderatorId: idSchema,
  createdAt: timestampSchema,
});
export type BlockedImage = z.infer<typeof blockedImageSchema>;

/** The acts of moderators that the audit log records, including every read. */
export const moderatorActionSchema = z.enum([
  'queue_read',
  'case_read',
  'image_read',
  'person_read',
  'profile_read',
  // A claim reserves a case for a moderator.
  'claimed',
  'released',
  'noted',
  'escalated',
  'decided',
  // A second moderator has confirmed or lifted a ban.
  'confirmed',
  'appeal_decided',
  'sanction_lifted',
  // A legal hold keeps the data of a user from being erased.
  'held',
  'hold_lifted',
  'image_blocked',
  'image_unblocked',
]);
export type ModeratorAction = z.infer<typeof moderatorActionSchema>;

export const auditEntrySchema = z.object({
  id: idSchema,
  moderatorId: idSchema,
  action: moderatorActionSchema,
  at: timestampSchema,
  caseId: z.nullable(idSchema),
  userId: z.nullable(idSchema),
  /** Identifies an image within its case only. */
  imageId: z.nullable(z.int()),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Response body of GET /api/moderation/audit, newest first. */
export const auditPageSchema = z.object({
  entries: z.array(auditEntrySchema),
  nextCursor: z.nullable(z.string()),
});
export type AuditPage = z.infer<typeof auditPageSchema>;

/**
 * Response body of GET /api/moderation/metrics. The figures are of the last 30 days, except `openCases`,
 * `oldestOpenCaseAgeS` and `carePool`, which are current. Durations are null if there is no case to measure.
 */
export const moderationFiguresSchema = z.object({
  /** Cases that wait for a moderator, including decided ones with an open appeal or an unconfirmed ban. */
  openCases: z.int(),
  oldestOpenCaseAgeS: z.nullable(z.number()),
  timeToDecisionS: z.object({ p50: z.nullable(z.number()), p95: z.nullable(z.number()) }),
  reportsByCategory: z.record(z.string(), z.int()),
  decisions: z.array(
    z.object({ outcome: caseOutcomeSchema, by: z.enum(['moderator', 'automatic']), count: z.int() }),
  ),
  /** Decided appeals, by the moderator who decided the case. */
  appeals: z.array(z.object({ moderatorId: idSchema, decided: z.int(), reversed: z.int() })),
  /** Per 1,000 random chats. */
  reportsPer1000Matches: z.number(),
  blocksPer1000Matches: z.number(),
  /** Users with the standing `care`, who are matched only with each other. */
  carePool: z.int(),
});
export type ModerationFigures = z.infer<typeof moderationFiguresSchema>;
