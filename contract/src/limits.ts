/** Every number that both sides, or a person, can notice. Source: product specification §5 and §9, decisions A01 to B14. */
export const limits = {
  passwordMinLength: 6,
  passwordMaxLength: 128,
  usernameMaxCodePoints: 30,
  emailMaxLength: 254,
  messageMaxCodePoints: 2_000,
  /** The composer counts down from here (A89). */
  messageCounterFromCodePoints: 1_800,
  imageMaxBytes: 5 * 1024 * 1024,
  imagesPerMessage: 4,
  /** Graphemes of a quoted message inside a bubble, and above the composer. */
  replyPreviewInMessage: 50,
  replyPreviewInComposer: 60,
  /** A grapheme can be of any length; a quote holds this many code points for each grapheme that it may show. */
  quotedCodePointsPerGrapheme: 8,

  frameMaxBytes: 16 * 1024,
  /** Largest `session_resumed` frame the server sends. */
  resumeFrameMaxBytes: 64 * 1024,
  jsonBodyMaxBytes: 32 * 1024,
  /** Ids that clients make (`clientId`, `gameId`, `ref`) and session ids, in UTF-16 units. */
  idMaxLength: 64,
  invalidFramesBeforeClose: 20,
  socketsPerUser: 5,

  pingIntervalMs: 60_000,
  reconnectAttempts: 5,
  reconnectInitialDelayMs: 1_000,
  reconnectMaxDelayMs: 30_000,
  /** Uptime after which the count of attempts starts again (A140). */
  reconnectResetAfterMs: 5_000,
  /** How long the Reconnect button stays away after a flood close (4429). */
  reconnectAfterFloodMs: 30_000,
  authenticateWithinMs: 10_000,

  friendsCacheMs: 5 * 60_000,
  /** Of the newest private message, in the friends list. */
  lastMessagePreviewMaxCodePoints: 80,
  friendRequestsCacheMs: 30_000,
  unreadPollMs: 30_000,
  /** People who have met can be asked to be friends for so long (A120). */
  friendRequestWithinMs: 30 * 24 * 60 * 60_000,

  /** A chat outlives its participant's sockets by this much (A51). */
  graceAfterCleanCloseMs: 10_000,
  graceAfterLossMs: 35_000,
  /** A `leave_queue` this soon after the match counts as a skip (A43). */
  leaveCountsAsSkipWithinMs: 2_000,
  /** Leaving /chat in an active chat waits this long before it skips (A59). */
  leaveChatDelayMs: 10_000,
  searchHintAfterMs: 30_000,
  queueStatusEveryMs: 10_000,
  queuePlaceKeptMs: 35_000,
  typingEveryMs: 2_000,
  typingShownMs: 6_000,

  reactionIdToleranceMs: 1_000,
  messageGroupGapMs: 5 * 60_000,
  celebrationMs: 5_000,
  plotTwistMs: 3_000,
  questionCount: 85,
  questionOptions: 5,

  toastMs: 5_000,
  tooltipOpenDelayMs: 700,
  tooltipSkipDelayMs: 300,
  mobileBreakpointPx: 768,
  sidebarCollapsedPx: 80,
  sidebarExpandedPx: 320,
  unreadBadgeMax: 99,
  featureCarouselMs: 4_000,
  conversationCarouselMs: 5_000,
  profileSavedMs: 2_000,
  profileErrorMs: 3_000,
  anonymousPromptDelayMs: 500,

  chatHistoryMaxEntries: 100,
  privateMessagesPage: 500,
} as const;

/** Delay before the n-th reconnect attempt, n from 1, in milliseconds (A140). */
export const reconnectDelayMs = (attempt: number): number =>
  Math.min(limits.reconnectMaxDelayMs, limits.reconnectInitialDelayMs * 2 ** (attempt - 1));
