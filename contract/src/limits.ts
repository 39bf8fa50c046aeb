/**
 * Limits that clients and servers share, or that a client can observe. Source: product specification §5 and §9, product
 * decisions A01 to B14. Numbers that only the page uses are in the frontend.
 */
export const limits = {
  passwordMinLength: 6,
  passwordMaxLength: 128,
  usernameMaxCodePoints: 30,
  emailMaxLength: 254,
  messageMaxCodePoints: 2_000,
  imageMaxBytes: 5 * 1024 * 1024,
  imagesPerMessage: 4,
  /** Graphemes of a quoted message, as it is stored with the reply and shown above the composer. */
  replyPreviewInComposer: 60,
  /** Code points that a quote may hold for each grapheme it shows: a single grapheme has no maximum length. */
  quotedCodePointsPerGrapheme: 8,

  frameMaxBytes: 16 * 1024,
  /** Largest `session_resumed` frame a server sends, in bytes. */
  resumeFrameMaxBytes: 64 * 1024,
  jsonBodyMaxBytes: 32 * 1024,
  /** Ids that clients generate (`clientId`, `gameId`, `ref`) and session ids, in UTF-16 code units. */
  idMaxLength: 64,
  invalidFramesBeforeClose: 20,
  socketsPerUser: 5,

  pingIntervalMs: 60_000,
  reconnectAttempts: 5,
  reconnectInitialDelayMs: 1_000,
  reconnectMaxDelayMs: 30_000,
  /** Connection time after which the count of reconnect attempts is reset (A140). */
  reconnectResetAfterMs: 5_000,
  authenticateWithinMs: 10_000,

  /** Preview of the newest private message in the friends list. */
  lastMessagePreviewMaxCodePoints: 80,
  /** How long after a chat its participants can send each other friend requests (A120). */
  friendRequestWithinMs: 30 * 24 * 60 * 60_000,

  /** How long a chat stays open after a participant's last socket closed (A51). */
  graceAfterCleanCloseMs: 10_000,
  graceAfterLossMs: 35_000,
  /** A `leave_queue` within this time after the match counts as a skip (A43). */
  leaveCountsAsSkipWithinMs: 2_000,
  queueStatusEveryMs: 10_000,
  queuePlaceKeptMs: 35_000,
  typingEveryMs: 2_000,

  questionCount: 85,
  questionOptions: 5,

  chatHistoryMaxEntries: 100,
  privateMessagesPage: 500,
} as const;

/**
 * Exponential back-off of reconnect attempts, capped at `limits.reconnectMaxDelayMs` (A140).
 * @param attempt  number of the attempt, from 1
 * @returns the delay before that attempt, in milliseconds
 */
export const reconnectDelayMs = (attempt: number): number =>
  Math.min(limits.reconnectMaxDelayMs, limits.reconnectInitialDelayMs * 2 ** (attempt - 1));
