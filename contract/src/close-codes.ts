/** Codes a Thaw socket is closed with. 1000 and 1001 are the client's own; servers never send them. */
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

/** Whether a client may try again after a socket was closed with this code. */
export const isRetriedClose = (code: number): boolean => !neverRetried.has(code);
