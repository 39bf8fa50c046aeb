import type { CheckedContent } from '@thaw/contract/message-content';
import type { HttpErrorCode, SocketErrorCode } from '@thaw/contract/error-codes';

export type DomainErrorCode = HttpErrorCode | SocketErrorCode;

export interface DomainErrorDetails {
  /** Milliseconds after which the same command may succeed. */
  retryAfterMs?: number;
  /** Replaces the code's default message. Must be suitable for a toast and contain no user input. */
  publicMessage?: string;
}

/** An expected refusal. Every other error is a bug or an outage. */
export class DomainError extends Error {
  readonly retryAfterMs: number | undefined;
  readonly publicMessage: string | undefined;

  constructor(
    readonly code: DomainErrorCode,
    details: DomainErrorDetails = {},
  ) {
    super(code);
    this.name = 'DomainError';
    this.retryAfterMs = details.retryAfterMs;
    this.publicMessage = details.publicMessage;
  }
}

/**
 * Returns the content of a message that the contract's `checkText` or `checkContent` has accepted.
 * @throws DomainError with the code of the refusal.
 */
export const requireAccepted = (checked: CheckedContent): string => {
  if ('refusal' in checked) throw new DomainError(checked.refusal);
  return checked.content;
};
