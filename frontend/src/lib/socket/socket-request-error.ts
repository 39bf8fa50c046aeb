import { type SocketErrorCode } from '@thaw/contract/error-codes';

export type RequestFailure = 'not_connected' | 'closed' | 'timeout' | 'refused';

/** The reason why a request got no ack. */
export class SocketRequestError extends Error {
  override readonly name = 'SocketRequestError';

  constructor(
    readonly failure: RequestFailure,
    readonly code?: SocketErrorCode,
    readonly retryAfterMs?: number,
  ) {
    super(code ? `${failure}: ${code}` : failure);
  }
}
