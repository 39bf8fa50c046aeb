import { type SocketErrorCode } from '@thaw/contract/error-codes';

export type RequestFailure = 'not_connected' | 'closed' | 'timeout' | 'refused';

/** A request that received no ack, with the reason; `code` is set when the server refused it. */
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
