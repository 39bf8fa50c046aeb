/**
 * Close codes of Thaw's WebSockets. Only clients send 1000 and 1001. 1006 is never sent: browsers report it locally when
 * a connection is lost. 4000 and up are Thaw's own (RFC 6455, section 7.4).
 */
export const closeCodes = {
  normal: 1000,
  goingAwayClient: 1001,
  unsupportedData: 1003,
  abnormal: 1006,
  policyViolation: 1008,
  messageTooBig: 1009,
  internalError: 1011,
  serviceRestart: 1012,
  consumerTooSlow: 1013,
  notSignedIn: 4401,
  foreignUser: 4403,
  authenticateTimeout: 4408,
  tooManySockets: 4409,
  flooding: 4429,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

const neverRetried: ReadonlySet<number> = new Set([
  closeCodes.normal,
  closeCodes.goingAwayClient,
  closeCodes.unsupportedData,
  closeCodes.policyViolation,
  closeCodes.messageTooBig,
  closeCodes.notSignedIn,
  closeCodes.foreignUser,
  closeCodes.tooManySockets,
  closeCodes.flooding,
]);

/**
 * Whether a client reconnects after a socket was closed with this code.
 * @param code  any close code; unknown ones are retried
 */
export const isRetriedClose = (code: number): boolean => !neverRetried.has(code);
