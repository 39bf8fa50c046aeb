interface CircuitBreakerOptions {
  /** Failures in a row after which the circuit opens. */
  failures: number;
  openForMs: number;
  /** In milliseconds, monotonic. */
  now: () => number;
}

/**
 * Keeps callers from a service that has failed several times in a row. After a time one caller may try again, and its
 * result decides for the others.
 */
export class CircuitBreaker {
  private failuresInRow = 0;
  private openUntil = 0;

  constructor(private readonly options: CircuitBreakerOptions) {}

  /** Whether the caller may try. Each caller that may has to report its result. */
  tryEnter(): boolean {
    const { failures, openForMs, now } = this.options;
    if (this.failuresInRow < failures) return true;
    if (now() < this.openUntil) return false;
    // The others wait for the result of this one, or for as long again.
    this.openUntil = now() + openForMs;
    return true;
  }

  recordSuccess(): void {
    this.failuresInRow = 0;
  }

  /** @returns whether this failure has opened the circuit. */
  recordFailure(): boolean {
    const { failures, openForMs, now } = this.options;
    this.failuresInRow += 1;
    if (this.failuresInRow < failures) return false;
    this.openUntil = now() + openForMs;
    return this.failuresInRow === failures;
  }
}
