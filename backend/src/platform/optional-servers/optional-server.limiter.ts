import type { LoggerService } from '@nestjs/common';
import { ConcurrencyLimiter } from '../concurrency/concurrency.limiter';
import { logWarning } from '../observability/warn-about.functions';
import { CircuitBreaker } from './circuit-breaker.model';
import { OptionalServerError } from './optional-server.errors';

/** `skipped`: the server rests after failures, or too many ask at once. */
export type ServerOutcome<Answer> =
  { outcome: 'answered'; answer: Answer } | { outcome: 'failed' } | { outcome: 'skipped' };

const FAILURES_BEFORE_REST = 3;
const REST_MS = 5 * 60_000;
/** Questions of this replica at the same time. Further ones have no answer. */
const MAX_AT_ONCE = 32;

/** Keeps a slow or failing optional server from slowing down what works without it. */
export class OptionalServerLimiter {
  private readonly breaker = new CircuitBreaker({
    failures: FAILURES_BEFORE_REST,
    openForMs: REST_MS,
    now: () => performance.now(),
  });
  private readonly turns = new ConcurrencyLimiter(MAX_AT_ONCE, 0);

  /** @param name  subject of the log line about its failures */
  constructor(
    private readonly name: string,
    private readonly logger: Pick<LoggerService, 'warn'>,
  ) {}

  /** Asks, unless the server rests. Errors other than OptionalServerError are thrown. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<ServerOutcome<Answer>> {
    if (!this.turns.hasRoom || !this.breaker.tryEnter()) return { outcome: 'skipped' };
    try {
      const answer = await this.turns.run(question);
      this.breaker.recordSuccess();
      return { outcome: 'answered', answer };
    } catch (error) {
      if (!(error instanceof OptionalServerError)) throw error;
      if (this.breaker.recordFailure())
        logWarning(this.logger, `${this.name} has failed ${FAILURES_BEFORE_REST} times in a row`, error);
      return { outcome: 'failed' };
    }
  }
}
