/** Close codes of Thaw's WebSockets. RFC 6455, section 7.4, leaves 4000 and above to applications. */
export const closeCodes = {
  /** Sent by clients only: the page no longer needs the socket. */
  normal: 1000,
  /** Sent by clients only: the page is being unloaded. */
  goingAway: 1001,
  /** The client sent a binary frame. */
  unsupportedData: 1003,
  /** Never sent. Browsers report it when a connection is lost without a close frame. */
  abnormal: 1006,
  /** The client sent `limits.invalidFramesBeforeClose` invalid frames. */
  policyViolation: 1008,
  messageTooBig: 1009,
  internalError: 1011,
  serviceRestart: 1012,
  consumerTooSlow: 1013,
  /**
   * The user is not or no longer signed in, or was suspended or banned. Clients then ask over HTTP whether the user is
   * still signed in.
   */
  notSignedIn: 4401,
  /** The `userId` of the `authenticate` frame is not the user whom the session cookie identifies. */
  userMismatch: 4403,
  /** The client sent no `authenticate` frame within `limits.authenticateTimeoutMs`. */
  authenticateTimeout: 4408,
  /** The user has opened more than `limits.socketsPerUser` sockets; the oldest one is closed. */
  tooManySockets: 4409,
  /** The client exceeded the rate limit for frames. */
  flooding: 4429,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

/**
 * After these codes, clients do not reconnect by themselves: the client has closed the socket itself, or the server
 * would close a socket again for the same reason.
 */
const codesWithoutReconnect: ReadonlySet<number> = new Set([
  closeCodes.normal,
  closeCodes.goingAway,
  closeCodes.unsupportedData,
  closeCodes.policyViolation,
  closeCodes.messageTooBig,
  closeCodes.notSignedIn,
  closeCodes.userMismatch,
  closeCodes.tooManySockets,
  closeCodes.flooding,
]);

/**
 * Whether a client reconnects after its socket was closed with this code.
 * @param code  any close code; clients reconnect after unknown ones
 */
export const shouldReconnectAfter = (code: number): boolean => !codesWithoutReconnect.has(code);
