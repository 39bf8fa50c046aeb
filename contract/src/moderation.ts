import * as z from 'zod/mini';
import { limits } from './limits.js';
import { idSchema, timestampSchema } from './scalars.js';
import {
  appealOutcomeSchema,
  houseRuleSchema,
  reportCategorySchema,
  requiredText,
  standingKindSchema,
  standingSchema,
} from './safety.js';

// A case collects the reports, automatic findings and appeals about one user, until a moderator decides it.

/** The state of a case. `escalated`: a moderator has left the decision to another one. */
export const caseStateSchema = z.enum(['open', 'escalated', 'decided']);
export type CaseState = z.infer<typeof caseStateSchema>;

/**
 * Why a case waits for a moderator: reports by users, an automatic finding (for example a stated age under 18), an
 * appeal, or a ban that another moderator has to confirm. If there are several reasons, the gravest one.
 */
export const caseKindSchema = z.enum(['reports', 'finding', 'appeal', 'confirmation']);
export type CaseKind = z.infer<typeof caseKindSchema>;

export const caseOutcomeSchema = z.enum(['dismissed', 'warned', 'suspended', 'banned']);
export type CaseOutcome = z.infer<typeof caseOutcomeSchema>;

/** Filter of GET /api/moderation/cases. `held`: cases about users on legal hold (see `holdSchema`). */
export const caseFilterSchema = z.enum(['open', 'decided', 'held']);
export type CaseFilter = z.infer<typeof caseFilterSchema>;

/**
 * One entry of GET /api/moderation/cases. `version` is the version of the user's conduct stream, which contains all
 * reports about the user and all decisions about them. Commands repeat it, so that the server refuses outdated ones.
 */
export const caseItemSchema = z.object({
  id: idSchema,
  state: caseStateSchema,
  version: z.int(),
  /** Points by which the queue is sorted (see `urgencyPartsSchema`). */
  urgency: z.int(),
  userId: idSchema,
  username: z.string(),
  isAnonymous: z.boolean(),
  /** Number of reports by category. */
  categories: z.record(z.string(), z.int()),
  /** Number of distinct reporters of weight 1 (see `caseReportSchema`). */
  reporters: z.int(),
  /** Number of sanctions from the user's other cases in the last 365 days, without lifted ones. */
  priors: z.int(),
  /** Whether the case has an automatic finding or an automatic sanction. */
  isAutomatic: z.boolean(),
  kind: caseKindSchema,
  /**
   * When the case was opened. For a decided case that waits again: when the appeal was filed or the ban to confirm was
   * imposed, whichever came first.
   */
  openedAt: timestampSchema,
  /** The user's current standing (see `standingSchema`). */
  standing: standingKindSchema,
  /** The moderator who has claimed the case (see `claimSchema`). */
  claimedBy: z.nullable(idSchema),
  claimedUntil: z.nullable(timestampSchema),
});
export type CaseItem = z.infer<typeof caseItemSchema>;

export const casePageSchema = z.object({
  cases: z.array(caseItemSchema),
  nextCursor: z.nullable(z.string()),
});
export type CasePage = z.infer<typeof casePageSchema>;

/**
 * The points whose sum is the urgency of a case. The sum is halved if the case waits because of its reports and no
 * reporter has weight 1.
 */
export const urgencyPartsSchema = z.object({
  /** For the gravest reason why the case waits. */
  base: z.int(),
  /** For the second and each further reporter of weight 1, up to a maximum. */
  reporters: z.int(),
  /** For earlier sanctions. */
  priors: z.int(),
  /** For an automatic finding or an automatic sanction. */
  automatic: z.int(),
  /** For each full hour of waiting. */
  waiting: z.int(),
  isHalved: z.boolean(),
});
export type UrgencyParts = z.infer<typeof urgencyPartsSchema>;

export const evidenceMessageSchema = z.object({
  /** A string for a message of a random chat, a number for a private message. */
  id: z.union([z.string(), idSchema]),
  senderId: idSchema,
  at: timestampSchema,
  type: z.enum(['text', 'image', 'mixed']),
  /** The texts of all versions, oldest first, without image markers (lines that stand for images). */
  versions: z.array(z.string()),
  /** Whether the reporter marked the message as a reason of the report. */
  isMarked: z.boolean(),
  /** `imageId` identifies an image within its case only. */
  images: z.array(z.object({ imageId: z.int(), width: z.int(), height: z.int() })),
});
export type EvidenceMessage = z.infer<typeof evidenceMessageSchema>;

/** The part of a chat that the server copied when the chat was reported. */
export const evidenceSchema = z.object({
  source: z.enum(['random_chat', 'private_chat']),
  /** Null for a private chat. */
  sessionId: z.nullable(z.string()),
  people: z.array(z.object({ id: idSchema, username: z.string() })),
  messages: z.array(evidenceMessageSchema),
  /** Number of the chat's messages that are not included. */
  omitted: z.int(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

export const caseReportSchema = z.object({
  id: idSchema,
  reporterId: idSchema,
  category: reportCategorySchema,
  /** The reporter's text; null once it is erased. */
  words: z.nullable(z.string()),
  createdAt: timestampSchema,
  /** 0 if the reporter was suspended, banned or unreliable (most of their reports were dismissed), otherwise 1. */
  weight: z.union([z.literal(0), z.literal(1)]),
  /** How many reports of this reporter, in all cases, were decided, and how many of those led to action. */
  accuracy: z.object({ decided: z.int(), upheld: z.int() }),
});
export type CaseReport = z.infer<typeof caseReportSchema>;

/** Null for an automatic act. */
const nullableModeratorIdSchema = z.nullable(idSchema);

/**
 * One entry of a case's history. Texts are null once they are erased. Not a `discriminatedUnion`, because the frontend
 * uses that part of Zod nowhere else, and it would enlarge the bundle of every page.
 */
export const caseHistoryEntrySchema = z.union([
  z.object({ kind: z.literal('opened'), at: timestampSchema }),
  z.object({
    kind: z.literal('note'),
    at: timestampSchema,
    moderatorId: idSchema,
    text: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('escalated'),
    at: timestampSchema,
    moderatorId: idSchema,
    reason: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('decision'),
    at: timestampSchema,
    moderatorId: nullableModeratorIdSchema,
    outcome: caseOutcomeSchema,
    rule: z.nullable(houseRuleSchema),
    facts: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('sanction'),
    at: timestampSchema,
    sanctionId: idSchema,
    sanction: z.enum(['suspended', 'banned']),
    rule: houseRuleSchema,
    until: z.nullable(timestampSchema),
    isAutomatic: z.boolean(),
    /**
     * Id of a sanction of an earlier account on the same device or with the same e-mail address, which this sanction
     * repeats for the new account; otherwise null.
     */
    inheritedFrom: z.nullable(idSchema),
  }),
  /** A second review confirmed a ban (see `confirmBanSchema`). */
  z.object({
    kind: z.literal('confirmed'),
    at: timestampSchema,
    sanctionId: idSchema,
    moderatorId: nullableModeratorIdSchema,
  }),
  /** A sanction ended early. */
  z.object({ kind: z.literal('lifted'), at: timestampSchema, sanctionId: idSchema, cause: z.string() }),
  /** The user received the standing `care`: they are matched only with other users of this standing. */
  z.object({
    kind: z.literal('flagged'),
    at: timestampSchema,
    until: timestampSchema,
    cause: z.string(),
  }),
  z.object({ kind: z.literal('flag_lifted'), at: timestampSchema }),
  z.object({
    kind: z.literal('appeal'),
    at: timestampSchema,
    appealId: idSchema,
    noticeId: idSchema,
    appellantId: idSchema,
    state: z.enum(['open', 'decided']),
    /** The appellant's text. */
    words: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('appeal_decided'),
    at: timestampSchema,
    appealId: idSchema,
    moderatorId: idSchema,
    outcome: appealOutcomeSchema,
    until: z.nullable(timestampSchema),
    answer: z.nullable(z.string()),
  }),
]);
export type CaseHistoryEntry = z.infer<typeof caseHistoryEntrySchema>;

/**
 * Response body of GET /api/moderation/cases/{caseId}, and of the calls that escalate or decide a case, review a ban
 * (`confirmBanSchema`) or decide an appeal.
 */
export const moderationCaseSchema = z.extend(caseItemSchema, {
  urgencyParts: urgencyPartsSchema,
  reports: z.array(caseReportSchema),
  /** `reportId` is null for the evidence of an automatic finding. */
  evidence: z.array(z.extend(evidenceSchema, { reportId: z.nullable(idSchema) })),
  history: z.array(caseHistoryEntrySchema),
  /** Ids of the moderators who may not decide the case, for example friends of a reporter. */
  excludes: z.array(idSchema),
});
export type ModerationCase = z.infer<typeof moderationCaseSchema>;

/** A moderator's claim of a case: until it ends, no other moderator can decide the case. */
export const claimSchema = z.object({
  claimedBy: idSchema,
  until: timestampSchema,
  version: z.int(),
});
export type Claim = z.infer<typeof claimSchema>;

const versionSchema = z.int().check(z.nonnegative());
const noteSchema = requiredText(1, limits.moderationNoteMaxCodePoints);
const factsSchema = requiredText(limits.factsMinCodePoints, limits.factsMaxCodePoints);

/** Body of POST /api/moderation/cases/{caseId}/notes. */
export const addNoteSchema = z.object({ text: noteSchema });
export type AddNote = z.infer<typeof addNoteSchema>;

/** Response body of POST /api/moderation/cases/{caseId}/notes. */
export const versionAnswerSchema = z.object({ version: z.int() });
export type VersionAnswer = z.infer<typeof versionAnswerSchema>;

/** Body of POST /api/moderation/cases/{caseId}/escalation. */
export const escalateCaseSchema = z.object({ version: versionSchema, reason: noteSchema });
export type EscalateCase = z.infer<typeof escalateCaseSchema>;

/**
 * Body of POST /api/moderation/cases/{caseId}/decision. `rule` and `facts` are required unless the outcome is
 * `dismissed`. `until` is required with the outcome `suspended` and refused with any other; the server checks that it
 * is 1 hour to 365 days ahead.
 */
export const decideCaseSchema = z
  .object({
    version: versionSchema,
    outcome: caseOutcomeSchema,
    rule: z.optional(houseRuleSchema),
    facts: z.optional(factsSchema),
    until: z.optional(timestampSchema),
    /** The images of the evidence (`imageId`) to block for all users. The server refuses them if `rule` is missing. */
    blockImages: z.optional(z.array(z.int()).check(z.maxLength(limits.blockedImagesPerDecision))),
    note: z.optional(noteSchema),
  })
  .check(
    z.refine(
      ({ outcome, rule, facts }) => outcome === 'dismissed' || (rule !== undefined && facts !== undefined),
    ),
    z.refine(({ outcome, until }) => (outcome === 'suspended') === (until !== undefined)),
  );
export type DecideCase = z.infer<typeof decideCaseSchema>;

/**
 * Body of POST /api/moderation/cases/{caseId}/confirmation. A ban that is not confirmed is lifted; the notice to the
 * user then states `facts` as the reason, if given.
 */
export const confirmBanSchema = z.object({
  version: versionSchema,
  isConfirmed: z.boolean(),
  facts: z.optional(factsSchema),
});
export type ConfirmBan = z.infer<typeof confirmBanSchema>;

/** Body of PUT /api/moderation/appeals/{appealId}. `until` is required with `reduced` and refused otherwise. */
export const decideAppealSchema = z
  .object({
    version: versionSchema,
    outcome: appealOutcomeSchema,
    until: z.optional(timestampSchema),
    answer: factsSchema,
  })
  .check(z.refine(({ outcome, until }) => (outcome === 'reduced') === (until !== undefined)));
export type DecideAppeal = z.infer<typeof decideAppealSchema>;

/** Body of POST /api/moderation/sanctions/{sanctionId}/lift. */
export const liftSanctionSchema = z.object({ reason: noteSchema });
export type LiftSanction = z.infer<typeof liftSanctionSchema>;

/** Body of PUT /api/moderation/people/{userId}/hold: a legal hold, during which no data of the user is erased. */
export const holdSchema = z.object({ isHeld: z.boolean(), reason: noteSchema });
export type Hold = z.infer<typeof holdSchema>;

export const sanctionSchema = z.object({
  id: idSchema,
  kind: z.enum(['suspended', 'banned']),
  rule: houseRuleSchema,
  from: timestampSchema,
  until: z.nullable(timestampSchema),
  liftedAt: z.nullable(timestampSchema),
  isAutomatic: z.boolean(),
  isConfirmed: z.boolean(),
  caseId: z.nullable(idSchema),
});
export type Sanction = z.infer<typeof sanctionSchema>;

/** Response body of GET /api/moderation/people/{userId}. */
export const moderatedPersonSchema = z.object({
  id: idSchema,
  username: z.string(),
  isAnonymous: z.boolean(),
  createdAt: timestampSchema,
  standing: standingSchema,
  isHeld: z.boolean(),
  /** Number of random chats that the user has had. */
  matches: z.int(),
  reportsPer100Matches: z.number(),
  sanctions: z.array(sanctionSchema),
  cases: z.array(
    z.object({
      id: idSchema,
      state: caseStateSchema,
      openedAt: timestampSchema,
      outcome: z.nullable(caseOutcomeSchema),
    }),
  ),
  reportsMade: z.object({ total: z.int(), decided: z.int(), upheld: z.int() }),
  /** Other accounts that were used on the same devices. */
  sameDeviceIds: z.array(idSchema),
});
export type ModeratedPerson = z.infer<typeof moderatedPersonSchema>;
