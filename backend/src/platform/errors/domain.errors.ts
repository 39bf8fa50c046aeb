import type { CheckedContent } from '@thaw/contract/message-content';
import type { HttpErrorCode, SocketErrorCode } from '@thaw/contract/error-codes';

export type DomainErrorCode = HttpErrorCode | SocketErrorCode;

export interface DomainErrorDetails {
  /** Milliseconds after which the same command may succeed. */
  retryAfterMs?: number;
  /** Replaces the code's own sentence; must be fit for a toast and hold nothing that a person wrote. */
  message?: string;
}

/** An expected refusal. Anything else that is thrown is a bug. */
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
    this.publicMessage = details.message;
  }
}

/**
 * The content that a check of the contract accepted.
 * @throws DomainError with the check's refusal.
 */
export const requireAccepted = (checked: CheckedContent): string => {
  if ('refusal' in checked) throw new DomainError(checked.refusal);
  return checked.content;
};
