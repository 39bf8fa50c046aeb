/** Timings, sizes and counts used only by the page. Those that a server shares are in `@thaw/contract/limits`. */
export const pageLimits = {
  /** Length of a text, in code points, from which the composer shows the remaining count (A89). */
  messageCounterFromCodePoints: 1_800,
  /** Graphemes of a quoted message inside a bubble. */
  replyPreviewInMessage: 50,

  /** How long the Reconnect button stays hidden after a flood close (4429). */
  reconnectAfterFloodMs: 30_000,

  friendsCacheMs: 5 * 60_000,
  friendRequestsCacheMs: 30_000,
  unreadPollMs: 30_000,

  /** Delay between leaving /chat during an active chat and skipping it (A59). */
  leaveChatDelayMs: 10_000,
  searchHintAfterMs: 30_000,
  typingShownMs: 6_000,
  /** Largest difference between a reaction's message id and the id of the message it is shown on. */
  reactionIdToleranceMs: 1_000,
  /** Messages of one sender within this time form one group. */
  messageGroupGapMs: 5 * 60_000,
  celebrationMs: 5_000,
  plotTwistMs: 3_000,

  toastMs: 5_000,
  tooltipOpenDelayMs: 700,
  tooltipSkipDelayMs: 300,
  mobileBreakpointPx: 768,
  sidebarCollapsedPx: 80,
  sidebarExpandedPx: 320,
  /** A larger count is shown as "99+". */
  unreadBadgeMax: 99,
  featureCarouselMs: 4_000,
  conversationCarouselMs: 5_000,
  profileSavedMs: 2_000,
  profileErrorMs: 3_000,
  anonymousPromptDelayMs: 500,
} as const;
