/** Timings, sizes and counts used only by the page. Limits shared with the server are in `@thaw/contract/limits`. */
export const pageLimits = {
  /** The composer shows the length of a text that has at least this number of code points. */
  messageCounterFromCodePoints: 1_800,
  /** Length of the quote of a message inside another message. */
  replyPreviewGraphemes: 50,

  /** The Reconnect button appears this long after the server closed the socket for flooding (code 4429). */
  reconnectButtonAfterFloodMs: 30_000,

  /** How long the cached friends count as fresh; pushed changes update them in between. */
  friendsCacheMs: 5 * 60_000,
  /** How long the cached friend requests count as fresh. */
  friendRequestsCacheMs: 30_000,
  /** How often the unread counts are fetched, in case a push was lost. */
  unreadPollMs: 30_000,

  /** A chat without activity for this long shows suggestions. */
  suggestionsAfterMs: 20_000,
  /** An active chat ends this long after the user has left /chat (docs/product-decisions.md, A59). */
  leaveChatDelayMs: 10_000,
  /** A search that takes longer shows a hint that few people are online. */
  searchHintAfterMs: 30_000,
  /** The typing indicator disappears this long after the last `typing` frame. */
  typingShownMs: 6_000,
  /**
   * Message ids begin with a time. A reaction with an unknown message id is shown on the message with the nearest time,
   * if the two times differ by less than this (docs/product-decisions.md, A86).
   */
  reactionIdToleranceMs: 1_000,
  /** Messages of one sender within this time form one group. */
  messageGroupGapMs: 5 * 60_000,
  /** Duration of the visual effect when both users have given the same answer in Break the Ice. */
  celebrationMs: 5_000,
  /** Duration of the visual effect when the answers differ. */
  plotTwistMs: 3_000,

  /** How long a toast and its action (such as Undo) are shown. */
  toastMs: 5_000,
  /** Delay between hovering a control and its tooltip. */
  tooltipOpenDelayMs: 700,
  /** A tooltip opens without the delay when another one was open within this time. */
  tooltipSkipDelayMs: 300,
  /** Narrower windows show the sidebar as an off-canvas sheet. */
  mobileBreakpointPx: 768,
  /** Widths of the sidebar. */
  sidebarCollapsedPx: 80,
  sidebarExpandedPx: 320,
  /** A larger count is shown as "99+". */
  unreadBadgeMax: 99,
  /** Time for which each slide of the two carousels on the landing page is shown. */
  featureCarouselMs: 4_000,
  conversationCarouselMs: 5_000,
  /** How long the save button of the profile shows "Saved!". */
  profileSavedMs: 2_000,
  /** How long the save button of the profile shows "Error saving". */
  profileErrorMs: 3_000,
  /** Delay between choosing a gender and the offer to create an account, so that the first dialog can close. */
  anonymousPromptDelayMs: 500,
} as const;
