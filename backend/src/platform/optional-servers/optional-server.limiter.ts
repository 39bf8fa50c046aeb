import type { LoggerService } from '@nestjs/common';
import { ConcurrencyLimiter } from '../concurrency/concurrency.limiter';
import { logWarning } from '../observability/warn-about.functions';
import { CircuitBreaker } from './circuit-breaker.model';
import { OptionalServerError } from './optional-server.errors';

/** `skipped`: no request was sent, because the circuit breaker is open or too many requests are in progress. */
export type ServerOutcome<Answer> =
  { outcome: 'answered'; answer: Answer } | { outcome: 'failed' } | { outcome: 'skipped' };

/** Failures in a row that open the circuit breaker. */
const FAILURES_TO_OPEN = 3;
const OPEN_FOR_MS = 5 * 60_000;
/** Maximum number of concurrent requests of this replica. Further ones are skipped. */
const MAX_CONCURRENT_REQUESTS = 32;

/** Limits requests to a server that the product can do without, so that its delays and failures affect few callers. */
export class OptionalServerLimiter {
  private readonly breaker = new CircuitBreaker({
    failuresToOpen: FAILURES_TO_OPEN,
    openForMs: OPEN_FOR_MS,
    now: () => performance.now(),
  });
  private readonly concurrency = new ConcurrencyLimiter(MAX_CONCURRENT_REQUESTS, 0); // no queue

  /** @param name  name of the server, the subject of the log line about its failures */
  constructor(
    private readonly name: string,
    private readonly logger: Pick<LoggerService, 'warn'>,
  ) {}

  /**
   * Sends a request, unless it has to be skipped.
   * @param request  throws OptionalServerError when the server fails
   * @throws any other error of `request`
   */
  async ask<Answer>(request: () => Promise<Answer>): Promise<ServerOutcome<Answer>> {
    if (!this.concurrency.hasRoom || !this.breaker.tryEnter()) return { outcome: 'skipped' };
    try {
      const answer = await this.concurrency.run(request);
      this.breaker.recordSuccess();
      return { outcome: 'answered', answer };
    } catch (error) {
      // Any other error is no failure of the server, so the breaker does not count it.
      if (!(error instanceof OptionalServerError)) throw error;
      const hasOpenedCircuit = this.breaker.recordFailure();
      if (hasOpenedCircuit)
        logWarning(this.logger, `${this.name} has failed ${FAILURES_TO_OPEN} times in a row`, error);
      return { outcome: 'failed' };
    }
  }
}
