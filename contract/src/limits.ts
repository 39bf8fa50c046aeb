/**
 * Limits that clients and servers share, or that a client can observe. They come from the product specification (§5 and
 * §9) and from docs/product-decisions.md, which lists decisions such as A51. Limits that only the page uses are in
 * `frontend/src/lib/page-limits.ts`.
 */
export const limits = {
  passwordMinLength: 6,
  passwordMaxLength: 128,
  usernameMaxCodePoints: 30,
  emailMaxLength: 254,
  messageMaxCodePoints: 2_000,
  imageMaxBytes: 5 * 1024 * 1024,
  imagesPerMessage: 4,

  /** Length of the quote of a message, which is stored with a reply and shown above the composer. */
  quoteMaxGraphemes: 60,
  /**
   * A single grapheme may consist of any number of code points. So a quote of at most n graphemes is also limited to n
   * times this number of code points in total.
   */
  quoteMaxCodePointsPerGrapheme: 8,

  /** Largest frame that a client may send. */
  frameMaxBytes: 16 * 1024,
  /** Largest `session_resumed` frame that a server sends. */
  resumeFrameMaxBytes: 64 * 1024,
  jsonBodyMaxBytes: 32 * 1024,
  /** Length of session ids and of ids that clients generate (`clientId`, `gameId`, `ref`), in UTF-16 code units. */
  idMaxLength: 64,
  /** A socket that has sent this many invalid frames is closed. */
  invalidFramesBeforeClose: 20,
  socketsPerUser: 5,

  pingIntervalMs: 60_000,
  reconnectAttempts: 5,
  reconnectInitialDelayMs: 1_000,
  /** Not reached with five attempts: the delay doubles from 1 s to 16 s. */
  reconnectMaxDelayMs: 30_000,
  /** A connection that lasts this long resets the count of reconnect attempts. */
  reconnectResetAfterMs: 5_000,
  authenticateTimeoutMs: 10_000,

  /** Length of the preview of the newest private message in the friends list. */
  lastMessagePreviewMaxCodePoints: 80,
  /** How long after a chat its participants can send each other friend requests (A120). */
  friendRequestWindowMs: 30 * 24 * 60 * 60_000,

  /** Grace period of a chat after a participant's last socket closed with `normal` or `goingAway` (A51). */
  graceAfterCleanCloseMs: 10_000,
  /** Grace period of a chat after a participant's last socket was lost in any other way (A51). */
  graceAfterLossMs: 35_000,
  /** A `leave_queue` within this time after the match counts as a skip (A43). */
  leaveAsSkipWindowMs: 2_000,
  queueStatusIntervalMs: 10_000,
  /** How long a searching user without a socket keeps their place in the queue. */
  queuePlaceRetentionMs: 35_000,
  /** A typing client repeats its `typing` frame at most this often. */
  typingIntervalMs: 2_000,

  questionCount: 85,
  optionsPerQuestion: 5,

  /** Users that one user may have blocked at a time. */
  blockedUsersMax: 2_000,
  /** Length of what a reporter writes. */
  reportWordsMaxCodePoints: 1_000,
  /** Messages that a reporter may mark as the reason of the report. */
  markedMessagesPerReport: 10,
  reportsListMaxEntries: 100,
  /** How long after a chat's end its partner can be reported. */
  reportableAfterEndMs: 24 * 60 * 60_000,
  noticesListMaxEntries: 100,
  /** Length of what the author of an appeal writes. */
  appealWordsMaxCodePoints: 2_000,
  /** How long after a decision the user can appeal: six months, as in Article 20 of the Digital Services Act. */
  appealWithinMs: 183 * 24 * 60 * 60_000,
  /** Length of the facts of a decision, and of the answer to an appeal. */
  factsMinCodePoints: 20,
  factsMaxCodePoints: 1_000,
  moderationNoteMaxCodePoints: 2_000,
  /**
   * Enough for all images of one report: at most 40 messages (the newest 30 of the chat and the 10 marked ones) with 4
   * images each.
   */
  blockedImagesPerDecision: 160,
  /** A moderator's claim of a case expires when they have not acted on the case for this time. */
  caseClaimMs: 15 * 60_000,
  casesPerPage: 100,
  suspensionMinMs: 60 * 60_000,
  suspensionMaxMs: 365 * 24 * 60 * 60_000,
  chatHistoryMaxEntries: 100,
  privateMessagesPageSize: 500,
} as const;

/**
 * Exponential back-off of reconnect attempts, capped at `limits.reconnectMaxDelayMs` (A140).
 * @param attempt  number of the attempt, from 1
 * @returns the delay before that attempt, in milliseconds
 */
export const reconnectDelayMs = (attempt: number): number =>
  Math.min(limits.reconnectMaxDelayMs, limits.reconnectInitialDelayMs * 2 ** (attempt - 1));
