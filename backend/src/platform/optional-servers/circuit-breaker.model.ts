interface CircuitBreakerOptions {
  /** Failures in a row after which the circuit opens. */
  failuresToOpen: number;
  /** How long an open circuit refuses all callers. */
  openForMs: number;
  /** A monotonic clock in milliseconds. */
  now: () => number;
}

/**
 * Refuses calls to a service that has failed several times in a row: the circuit is then open. After `openForMs`, one
 * caller may try again. Its success closes the circuit; its failure keeps the circuit open for another `openForMs`.
 */
export class CircuitBreaker {
  private failuresInRow = 0;
  private openUntil = 0;

  constructor(private readonly options: CircuitBreakerOptions) {}

  /** Whether the caller may call the service. If true, the caller must record the result of the call. */
  tryEnter(): boolean {
    const { failuresToOpen, openForMs, now } = this.options;
    if (this.failuresInRow < failuresToOpen) return true;
    if (now() < this.openUntil) return false;
    // Refuses other callers meanwhile. If this caller never records its result, another one may try after `openForMs`.
    this.openUntil = now() + openForMs;
    return true;
  }

  recordSuccess(): void {
    this.failuresInRow = 0;
  }

  /** @returns whether this failure has opened the circuit; false if it only keeps the circuit open. */
  recordFailure(): boolean {
    const { failuresToOpen, openForMs, now } = this.options;
    this.failuresInRow += 1;
    if (this.failuresInRow < failuresToOpen) return false;
    this.openUntil = now() + openForMs;
    return this.failuresInRow === failuresToOpen;
  }
}
